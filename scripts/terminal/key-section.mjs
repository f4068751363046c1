import { readFileSync } from 'node:fs'
import { keyGroups } from '../../apps/tui/src/ui/keys/key-words.ts'

const section = /(<!-- keys: .*?-->\n).*(<!-- end of keys -->)/s

/** Returns docs/terminal.md with its section of keys written anew. */
export function terminalPage() {
  const page = readFileSync(new URL('../../docs/terminal.md', import.meta.url), 'utf8')
  if (!section.test(page)) throw new Error('docs/terminal.md has no section of keys')
  return page.replace(section, (_, begin, end) => `${begin}${keyTables()}\n${end}`)
}

function keyTables() {
  return keyGroups()
    .map(({ title, rows }) => `\n### ${title}\n\n| keys | what they do |\n|---|---|\n${rows.map(row).join('\n')}\n`)
    .join('')
}

function row([keys, words]) {
  return `| ${cell(keys)} | ${cell(words)} |`
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

import { readFileSync } from 'node:fs'
import { keyGroups } from '../../apps/tui/src/ui/keys/key-words.ts'
import { commandRows } from '../../packages/presentation/src/commands/slash-commands.ts'
import { withSection } from '../protocol/page-section.mjs'

/** Returns docs/terminal.md with its sections of keys and commands written anew. */
export function terminalPage() {
  const page = readFileSync(new URL('../../docs/terminal.md', import.meta.url), 'utf8')
  return withSection(withSection(page, 'keys', keyTables()), 'commands', commandTable())
}

function commandTable() {
  const rows = commandRows().map(([command, words]) => `| \`${cell(command)}\` | ${cell(words)} |`)
  return `\n| command | what it does |\n|---|---|\n${rows.join('\n')}\n`
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

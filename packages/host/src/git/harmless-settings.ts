import { settingsInText } from './git-config-text.ts'
import { harmlessSettings } from './harmless-settings-table.ts'

/** Lines that git writes: blank, a comment, a section alone, a setting with a value. */
const blank = /^[ \t]*(?:[#;].*)?$/
const section = /^[ \t]*\[[A-Za-z0-9.-]+(?:[ \t]+"(?:\\["\\]|[^"\\])*")?\][ \t]*$/
const setting = /^[ \t]*[A-Za-z][A-Za-z0-9-]*[ \t]*=(?:[^"\\\0]|\\["\\tnb]|"(?:\\["\\tnb]|[^"\\\0])*")*$/

/**
 * Returns the name of the first setting in a text that may start a program; null where all are harmless. A line in
 * another form than git writes counts as such a setting.
 * @param isWorkTree Tests if a `core.worktree` is a folder that is searched as well.
 */
export function startingSetting(text: string, isWorkTree: (path: string) => boolean): string | null {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const odd = lines.find((line) => !(blank.test(line) || section.test(line) || setting.test(line)))
  if (odd !== undefined || /\r/.test(text.replaceAll('\r\n', ''))) return oddLine
  const settings = settingsInText(text)
  if (settings.length !== lines.filter((line) => setting.test(line)).length) return oddLine
  const found = settings.find(
    ({ name, value }) => !(name === 'core.worktree' ? isWorkTree(value) : isHarmless(name, value)),
  )
  return found?.name ?? null
}

const oddLine = 'a line that git does not write'

function isHarmless(name: string, value: string): boolean {
  return harmlessSettings.some((row) => row.name.test(name) && row.value.test(value))
}

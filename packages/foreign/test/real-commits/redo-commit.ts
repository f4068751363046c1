import type { ScriptedCall } from '@parley/testkit'
import { type ChangedFile, hunksBetween, type RealCommit, textOf, type Version } from './commits.ts'

/** Form of change by which a model repeats a commit. */
export type Way = 'patch' | 'edits' | 'whole'

/** Returns the calls that do a commit again below a folder; null where the way cannot say it. */
export function callsFor(way: Way, commit: RealCommit, folder: string): readonly ScriptedCall[] | null {
  const parts = commit.files.map((file) => redoFile(way, { commit, file, path: `${folder}/${file.path}` }))
  const said = parts.flatMap((part) => (part === null ? [] : [part]))
  if (said.length < parts.length) return null
  const sections = said.flatMap(({ section = [] }) => section)
  const commands = said.flatMap(({ commands: of = [] }) => of)
  const patch = `*** Begin Patch\n${sections.join('\n')}\n*** End Patch\n`
  return [
    ...(sections.length > 0 ? [{ name: 'apply_patch', arguments: { patch } }] : []),
    ...said.flatMap(({ calls = [] }) => calls),
    ...(commands.length > 0 ? [{ name: 'shell', arguments: { command: commands.join(' && ') } }] : []),
  ]
}

/** Parts that do a file of a commit again: lines of a patch, calls, or commands that run after them. */
interface RedoneFile {
  readonly section?: readonly string[]
  readonly calls?: readonly ScriptedCall[]
  readonly commands?: readonly string[]
}

/** File of a commit, with the path at which it is done again. */
interface Placed {
  readonly commit: RealCommit
  readonly file: ChangedFile
  readonly path: string
}

function redoFile(way: Way, placed: Placed): RedoneFile | null {
  const { file, path } = placed
  const { before, after } = file
  if (!isText(before) || !isText(after)) return { commands: byCommand(file, path) }
  const commands = after !== null && before?.mode !== after.mode ? chmod(after, path, before === null) : []
  if (way === 'patch') {
    const section = sectionOf(placed)
    return section === null ? null : { section, commands }
  }
  const calls = editsOf(way, placed)
  return calls === null ? null : { calls, commands }
}

function isText(version: Version | null): boolean {
  return version === null || textOf(version) !== null
}

function chmod({ mode }: Version, path: string, isNew: boolean): readonly string[] {
  if (isNew && mode === '100644') return []
  return [`chmod ${mode === '100755' ? '755' : '644'} ${quoted(path)}`]
}

/** Writes links and bytes, which are not text, by a command. */
function byCommand({ before, after }: ChangedFile, path: string): readonly string[] {
  const gone = before === null ? [] : [`rm ${quoted(path)}`]
  if (after === null) return gone
  const parent = `mkdir -p ${quoted(path.replace(/\/[^/]*$/, ''))}`
  if (after.mode === '120000') return [...gone, parent, `ln -s ${quoted(after.bytes.toString())} ${quoted(path)}`]
  const bytes = `printf %s ${quoted(after.bytes.toString('base64'))} | base64 -d > ${quoted(path)}`
  return [...gone, parent, bytes, ...chmod(after, path, false)]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

type Ends = 'lf' | 'crlf' | 'mixed'

function endsOf(text: string): Ends {
  const all = text.split('\n').length - 1
  const crlf = text.split('\r\n').length - 1
  return crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed'
}

/** Tests if the format of a patch can say a change of a text: no other line ends, and as many at the end. */
function canPatch(before: string, after: string): boolean {
  const ends = [endsOf(before), endsOf(after)]
  if (ends.includes('mixed') || (before !== '' && after !== '' && ends[0] !== ends[1])) return false
  return after === '' || (before === '' ? after.endsWith('\n') : before.endsWith('\n') === after.endsWith('\n'))
}

function sectionOf({ commit: { repository }, file: { before, after }, path }: Placed): readonly string[] | null {
  const texts = [before, after].map((one) => (one === null ? '' : (textOf(one) ?? '')))
  const [old = '', text = ''] = texts
  if (after === null) return [`*** Delete File: ${path}`]
  if (before === null) {
    if (text.includes('\r') || (text !== '' && !text.endsWith('\n'))) return null
    return [
      `*** Add File: ${path}`,
      ...text
        .split('\n')
        .slice(0, -1)
        .map((line) => `+${line}`),
    ]
  }
  if (old === text) return []
  if (!canPatch(old, text)) return null
  const hunks = hunksBetween(repository, before, after, 3)
  return [`*** Update File: ${path}`, ...hunks.flatMap(([, ...lines]) => ['@@', ...lines])]
}

/** Returns the edits of a file from its end to its beginning, or its whole content. */
function editsOf(way: Way, { commit: { repository }, file, path }: Placed): readonly ScriptedCall[] | null {
  const { before, after } = file
  if (after === null) return [{ name: 'shell', arguments: { command: `rm ${quoted(path)}` } }]
  const [old, text] = [before === null ? '' : (textOf(before) ?? ''), textOf(after) ?? '']
  if (before !== null && old === text) return []
  if (before !== null && endsOf(old) === 'crlf' && endsOf(text) !== 'crlf') return null
  if (way === 'whole' || before === null || old === '')
    return [{ name: 'write_file', arguments: { path, content: text } }]
  if (!canPatch(old, text)) return null
  const hunks = hunksBetween(repository, before, after, 8).toReversed()
  return hunks.map(([, ...lines]) => ({ name: 'edit_file', arguments: { path, ...replacement(lines, old) } }))
}

/** Returns the lines of a hunk before and after; without the last line end when the file lacks it. */
function replacement(lines: readonly string[], file: string): { readonly old: string; readonly new: string } {
  const side = (sign: string) => lines.flatMap((line) => (line[0] === sign ? [] : [`${line.slice(1)}\n`])).join('')
  const [before, after] = [side('+'), side('-')]
  const isInside = file.replaceAll('\r\n', '\n').includes(before)
  return isInside ? { old: before, new: after } : { old: before.slice(0, -1), new: after.slice(0, -1) }
}

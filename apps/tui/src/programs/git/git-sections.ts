import { type ChangedFile, remarkLines } from './changed-file.ts'

/** File in the listing of git. Names have one character for each byte. */
interface ListedFile {
  readonly name: string
  /** Name before it was renamed. */
  readonly before: string | null
  readonly oldMode: string
  readonly newMode: string
  /** Letter of git: `A`, `D`, `M`, `R`, `T`, `U`. */
  readonly status: string
}

interface Counts {
  readonly additions: number
  readonly deletions: number
}

/** File with its path as git prints it. */
export interface DiffedFile extends Omit<ChangedFile, 'shownBy'> {
  /** True if git shows no lines, as for binary data. */
  readonly isHidden: boolean
}

interface ReadDiff {
  /** Files in the order of git. */
  readonly files: readonly DiffedFile[]
  /** True when more files differ than are listed. */
  readonly isListCut: boolean
}

/**
 * Reads the output of `git diff --raw --numstat --patch -z`: modes and names, counts, then the sections of the patch.
 * Finds the sections of a file by its name in their first lines: a file that became a link has two, a file without
 * changed lines may have no section. `isCut`: git printed more.
 */
export function readSections(output: Buffer, isCut: boolean): ReadDiff {
  // One character for each byte, since git compares names and lines as bytes.
  const text = output.toString('latin1')
  const end = text.indexOf('\0\0')
  const { listed, counts } = readListing((end < 0 ? text : text.slice(0, end)).split('\0'))
  const sections = sectionsOf(end < 0 ? '' : text.slice(end + 2), isCut)
  const files = listed.map((file) => {
    const own = sections.get(headingOf(file)) ?? []
    return changedFile(file, own, { isCut, counted: counts.get(file.name) })
  })
  return { files, isListCut: isCut && end < 0 }
}

function readListing(fields: readonly string[]) {
  const listed = new Map<string, ListedFile>()
  const counts = new Map<string, Counts>()
  for (let at = 0; at < fields.length; ) {
    const file = listedAt(fields, at)
    const counted = file === null ? countedAt(fields, at) : null
    // An unmerged file may have a second line with its modes.
    if (file !== null && !(file.status === 'U' && listed.has(file.name))) listed.set(file.name, file)
    if (counted !== null) counts.set(counted.name, counted)
    at += file?.fields ?? counted?.fields ?? 1
  }
  return { listed: [...listed.values()], counts }
}

/** Reads modes, status and names. Each name is a field of its own. */
function listedAt(fields: readonly string[], at: number): (ListedFile & { readonly fields: number }) | null {
  const [, oldMode, newMode, status] = /^:(\d+) (\d+) \S+ \S+ ([A-Z])\d*$/.exec(fields[at] ?? '') ?? []
  if (oldMode === undefined || newMode === undefined || status === undefined) return null
  const [first = '', second = ''] = fields.slice(at + 1, at + 3)
  const names = /[RC]/.test(status) ? { name: second, before: first } : { name: first, before: null }
  return { ...names, oldMode, newMode, status, fields: names.before === null ? 2 : 3 }
}

/** Reads counts with their name; a renamed file has its two names in separate fields. */
function countedAt(fields: readonly string[], at: number) {
  const [, additions, deletions, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at] ?? '') ?? []
  if (name === undefined) return null
  const counts = { additions: Number(additions) || 0, deletions: Number(deletions) || 0 }
  return name === '' ? { ...counts, name: fields[at + 2] ?? '', fields: 3 } : { ...counts, name, fields: 1 }
}

interface Section {
  readonly text: string
  /** False for the last section of a patch that was cut. */
  readonly isWhole: boolean
}

/** Returns the sections of a patch by their first lines. Only a line feed ends a line: files may have others. */
function sectionsOf(patch: string, isCut: boolean): ReadonlyMap<string, readonly Section[]> {
  const texts = patch.split(/(?<![^\n])(?=diff --git |\* Unmerged path )/)
  const sections = texts.map((text, index): Section => {
    const isWhole = !isCut || index < texts.length - 1
    return { text: isWhole ? text : text.slice(0, text.lastIndexOf('\n') + 1), isWhole }
  })
  return Map.groupBy(sections, ({ text }) => text.slice(0, Math.max(0, text.indexOf('\n'))))
}

/** Returns the first line of the sections of a file. */
function headingOf({ name, before, status }: ListedFile): string {
  if (status === 'U') return `* Unmerged path ${name}`
  return `diff --git ${quoted(`a/${before ?? name}`)} ${quoted(`b/${name}`)}`
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** Quotes a name as git does with `core.quotePath=false`. */
function quoted(name: string): string {
  const escaped = name.replace(/[\x00-\x1f\x7f"\\]/g, (character) => {
    return escapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return escaped === name ? name : `"${escaped}"`
}

function changedFile(
  file: ListedFile,
  sections: readonly Section[],
  { isCut, counted }: { readonly isCut: boolean; readonly counted: Counts | undefined },
): DiffedFile {
  const { name, before, status, oldMode } = file
  const hunks = sections.map(({ text }) => hunksOf(text)).join('')
  const isMissing = isCut && (sections.length === 0 || sections.some(({ isWhole }) => !isWhole))
  const remarks = remarkLines(remarksOn(file, { sections, hunks, isMissing }))
  const { additions, deletions } = counted ?? { additions: 0, deletions: 0 }
  return {
    ...(before === null ? { path: utf8(name) } : { path: utf8(before), movedTo: utf8(name) }),
    kind: status === 'A' ? 'add' : status === 'D' ? 'delete' : 'update',
    ...(status === 'D' && oldMode === modes.link ? { link: true } : {}),
    additions,
    deletions,
    diff: remarks + utf8(hunks),
    before: null,
    after: null,
    isWhole: !isMissing,
    isHidden: sections.some(isBinary),
  }
}

/** Returns the hunks of a section, each line with its end. */
function hunksOf(section: string): string {
  const at = section.indexOf('\n@@ ')
  return at < 0 ? '' : `${section.slice(at + 1).replace(/\n+$/, '')}\n`
}

const modes = { program: '100755', link: '120000', submodule: '160000' } as const

function kindOf(mode: string): string {
  if (mode === modes.link) return 'a link'
  return mode === modes.submodule ? 'a submodule' : 'a file'
}

/** Returns remarks about facts that the lines of a diff do not show. */
function remarksOn(
  { oldMode, newMode, status }: ListedFile,
  { sections, hunks, isMissing }: { sections: readonly Section[]; hunks: string; isMissing: boolean },
): readonly string[] {
  const remarks = [...modeRemarks({ oldMode, newMode, status })]
  if (status === 'U') remarks.push('It is not merged: two sides changed it.')
  if (sections.some(isBinary)) remarks.push('Git takes it for no text.')
  else if (isMissing) remarks.push('Lines of it are missing here: the whole diff is too long.')
  else if (status === 'A' && hunks === '') remarks.push('It is empty.')
  return remarks
}

function isBinary({ text }: Section): boolean {
  return /\nBinary files /.test(text)
}

function modeRemarks({
  oldMode,
  newMode,
  status,
}: Pick<ListedFile, 'oldMode' | 'newMode' | 'status'>): readonly string[] {
  if (status === 'U' || status === 'D') return []
  if (status === 'A') {
    if (newMode === modes.program) return ['It is executable (mode 100755).']
    return newMode === modes.link || newMode === modes.submodule ? [`It is ${kindOf(newMode)} (mode ${newMode}).`] : []
  }
  if (kindOf(oldMode) !== kindOf(newMode)) return [`It was ${kindOf(oldMode)} and is ${kindOf(newMode)} now.`]
  if (oldMode === newMode) return []
  const now = newMode === modes.program ? 'executable now' : 'not executable any more'
  return [`Its mode changes from ${oldMode} to ${newMode}: it is ${now}.`]
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

import { countOf } from '@parley/presentation/text/formats'
import type { ChangedFile } from './git/changed-file.ts'

interface FittedDiffs {
  readonly text: string
  /** Files with lines that are missing from the text. */
  readonly unseen: readonly ChangedFile[]
}

/** Least part of a file to show, if there is room for it. */
const leastPieceBytes = 2 * 1024
/** Limit of the names of files that are left out. */
const maxNamesBytes = 16 * 1024

/** Returns the diffs of files as one text. If they do not fit, large files are shown in part. */
export function fitDiffs(files: readonly ChangedFile[], maxBytes: number): FittedDiffs {
  const texts = files.map((file) => ({ file, bytes: Buffer.from(fileText(file)) }))
  const share = Math.max(
    leastPieceBytes,
    fairShare(
      texts.map(({ bytes }) => bytes.length),
      maxBytes,
    ),
  )
  const shown = new Map<ChangedFile, string>()
  const unseen = new Set(files.filter(({ isWhole }) => !isWhole))
  let room = maxBytes
  const small = texts.filter(({ bytes }) => bytes.length <= share)
  const large = texts.filter(({ bytes }) => bytes.length > share)
  for (const { file, bytes } of [...small, ...large]) {
    const text = bytes.length <= share ? bytes.toString('utf8') : pieceOf(bytes, share, file)
    if (bytes.length > share) unseen.add(file)
    const sizeBytes = Math.min(bytes.length, share)
    if (sizeBytes > room) unseen.add(file)
    else shown.set(file, text)
    room -= sizeBytes > room ? 0 : sizeBytes
  }
  const left = files.filter((file) => !shown.has(file))
  const pieces = files.flatMap((file) => shown.get(file) ?? [])
  return {
    text: [...pieces, ...(left.length === 0 ? [] : [leftOutText(left)])].join('\n'),
    unseen: files.filter((file) => unseen.has(file)),
  }
}

/** Returns the most bytes that each text may have, so that all of them have room. */
function fairShare(sizes: readonly number[], maxBytes: number): number {
  let room = maxBytes
  for (const [index, size] of [...sizes].sort((one, other) => one - other).entries()) {
    const share = Math.floor(room / (sizes.length - index))
    if (size > share) return share
    room -= size
  }
  return Number.POSITIVE_INFINITY
}

function fileText({ kind, path, movedTo = path, diff }: ChangedFile): string {
  const before = kind === 'add' ? '/dev/null' : `a/${path}`
  const after = kind === 'delete' ? '/dev/null' : `b/${movedTo}`
  return `--- ${before}\n+++ ${after}\n${diff === '' ? '(No lines differ.)' : diff.trimEnd()}`
}

/** Returns the first lines of a file's diff, with the number of changed lines that are left out. */
function pieceOf(bytes: Buffer, maxBytes: number, { shownBy }: ChangedFile): string {
  const end = bytes.lastIndexOf(0x0a, maxBytes)
  const rest = bytes.toString('utf8', end + 1)
  const lines = rest.split('\n').filter((line) => /^[+-]/.test(line)).length
  return `${bytes.toString('utf8', 0, end)}\n… ${countOf(lines, 'changed line')} more left out here: \`${shownBy}\` shows them.`
}

function leftOutText(left: readonly ChangedFile[]): string {
  const named: string[] = []
  let room = maxNamesBytes
  for (const { path, movedTo = path } of left) {
    room -= Buffer.byteLength(movedTo) + 2
    if (room < 0) break
    named.push(movedTo)
  }
  const more = left.length - named.length
  const rest = more === 0 ? '' : ` and ${countOf(more, 'file')} more, which \`git status\` or \`git diff --stat\` names`
  const [first] = left
  const how = first === undefined ? '' : ` (as by \`${first.shownBy}\`)`
  return `Left out here, so read them yourself${how}: ${named.join(', ')}${rest}`
}

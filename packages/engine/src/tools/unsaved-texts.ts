import { createHash } from 'node:crypto'
import { join, relative } from 'node:path'
import type { BackgroundProcesses } from '@parley/host'
import { type Environment, liesWithin, readOpening } from '@parley/workspace'
import type { EditorTexts } from '../ports/editor.ts'
import type { ToolContext } from './contract/tool.ts'

interface UnsavedPorts {
  /** Undefined where no client is an editor. */
  readonly editors: EditorTexts | undefined
  readonly environment: Pick<Environment, 'name' | 'files'>
  readonly background: Pick<BackgroundProcesses, 'list'>
}

/** Texts that a user has changed in an editor and not saved, for the tools of one conversation. */
export interface UnsavedTexts {
  /** Resolves to the text of a file with a checked real path; to null where the file on disk counts. */
  read(real: string, context: Pick<ToolContext, 'conversationId' | 'cwd' | 'signal'>): Promise<string | null>
}

/** Largest file in bytes that an editor is asked for. */
const mostBytes = 1 << 20

/** Remembered former texts of all files of a conversation. */
const mostFormer = 1000

/**
 * Asks about files of the working folder on this machine only, and only while no background command runs: it could put a
 * link in the place of the file, which the editor would follow.
 */
export function createUnsavedTexts({ editors, environment, background }: UnsavedPorts): UnsavedTexts {
  const { files } = environment
  const former = new Set<string>()

  /** Reads the file on disk; null for one that is too long or no text. */
  async function saved(real: string): Promise<string | null> {
    const text = await readOpening(files, real, mostBytes + 1)
    return text === null || text.length > mostBytes || /[\0\uFFFD]/.test(text) ? null : text
  }

  async function ask(editors: EditorTexts, real: string, context: Parameters<UnsavedTexts['read']>[1]) {
    if (background.list().some(({ end }) => end === null)) return null
    const folder = await files.realPath(context.cwd)
    if (!liesWithin(real, folder)) return null
    const onDisk = await saved(real)
    if (onDisk === null) return null
    const held = await editors.read(context.conversationId, join(context.cwd, relative(folder, real)), context.signal)
    // An editor that has not noticed a change on disk yet holds a former text of the file.
    const isFormer = held !== null && former.has(keyOf(real, held))
    remember(keyOf(real, onDisk))
    if (held === null || isFormer || comparable(held) === comparable(onDisk)) return null
    return (await files.realPath(real)) === real ? held : null
  }

  function remember(key: string): void {
    former.add(key)
    const [oldest] = former
    if (former.size > mostFormer && oldest !== undefined) former.delete(oldest)
  }

  return {
    async read(real, context) {
      if (editors === undefined || environment.name !== null) return null
      return await ask(editors, real, context)
    },
  }
}

/** Returns a text without what editors change by themselves: line ends, byte order mark, final newline. */
function comparable(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '')
}

function keyOf(real: string, text: string): string {
  return createHash('sha256')
    .update(`${real}\0${comparable(text)}`)
    .digest('base64')
}

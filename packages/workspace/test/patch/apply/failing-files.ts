import type { PatchFiles } from '../../../src/patch/patch-files.ts'

export class TestIoError extends Error {
  readonly code: string
  constructor(code: string) {
    super(`${code}: injected`)
    this.code = code
  }
}

export interface FaultPlan {
  /** Number of the failing call, counted from 1 over all operations. */
  readonly fails: (call: number, operation: string) => boolean
  readonly code?: string
  /** Performs the operation before it fails, like a write that is cut off. */
  readonly afterEffect?: boolean
}

/** Files with failing calls; `calls` lists every operation so far. */
export function failingFiles(
  files: PatchFiles,
  plan: FaultPlan,
): { readonly files: PatchFiles; readonly calls: string[] } {
  const calls: string[] = []
  async function pass<Result>(operation: string, act: () => Promise<Result>): Promise<Result> {
    calls.push(operation)
    if (!plan.fails(calls.length, operation)) return await act()
    if (plan.afterEffect) await act()
    throw new TestIoError(plan.code ?? 'EIO')
  }
  return {
    calls,
    files: {
      realPath: (path) => pass('realPath', () => files.realPath(path)),
      stat: (path) => pass('stat', () => files.stat(path)),
      readFile: (path) => pass('readFile', () => files.readFile(path)),
      readLink: (path) => pass('readLink', () => files.readLink(path)),
      writeTemp: (path, bytes, like) => pass('writeTemp', () => files.writeTemp(path, bytes, like)),
      symlink: (path, target) => pass('symlink', () => files.symlink(path, target)),
      link: (from, to) => pass('link', () => files.link(from, to)),
      rename: (from, to) => pass('rename', () => files.rename(from, to)),
      unlink: (path) => pass('unlink', () => files.unlink(path)),
      mkdir: (path) => pass('mkdir', () => files.mkdir(path)),
      rmdir: (path) => pass('rmdir', () => files.rmdir(path)),
      list: (path) => pass('list', () => files.list(path)),
      syncFolder: (path) => pass('syncFolder', () => files.syncFolder(path)),
    },
  }
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { helperPath } from '../system/programs.ts'

const run = promisify(execFile)

/** Makes FIFOs for this user alone. Node has no call for it. */
export async function makeFifos(paths: readonly string[]): Promise<void> {
  await run('mkfifo', ['-m', '600', ...paths], { env: { PATH: helperPath } })
}

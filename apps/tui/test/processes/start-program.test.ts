import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../src/commands/login.ts'
import { listFiles } from '../../src/files/list-files.ts'
import { runProgram } from '../../src/processes/run-program.ts'
import { startProgram } from '../../src/processes/start-program.ts'
import { runClipboardProgram } from '../../src/terminal/clipboard.ts'
import { runWithTerminal } from '../../src/terminal/run-with-terminal.ts'

/** Longer than Linux takes a word of a command: Node throws, where other failures are events. */
const tooLong = 'x'.repeat(300_000)

async function failures() {
  const folder = await tempDirectory()
  const plain = join(folder.path, 'plain')
  writeFileSync(plain, 'no program', { mode: 0o644 })
  return {
    plain,
    argvs: [
      [/ENOENT/, [join(folder.path, 'gone')]],
      [/EACCES/, [plain]],
      [/ENOTDIR|EACCES/, [join(plain, 'below')]],
      [/E2BIG/, ['/bin/true', tooLong]],
      [/null bytes/, ['/bin/true', 'a\0b']],
    ] as const,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

describe('a helper program that cannot start', () => {
  test('is null, and the reason comes later, whether Node throws or tells', async () => {
    await using given = await failures()
    for (const [reason, argv] of given.argvs) {
      const { promise, resolve } = Promise.withResolvers<string>()
      let isTold = false
      const child = startProgram(argv, { stdio: 'pipe' }, (said) => {
        isTold = true
        resolve(said)
      })
      expect([child, isTold]).toEqual([null, false])
      expect(await promise).toMatch(reason)
    }
  })

  test('is a failure in words of everything that starts one', async () => {
    await using given = await failures()
    for (const [reason, argv] of given.argvs) {
      const [program, ...words] = argv
      const limits = { cwd: '/', env: {}, timeLimitMs: 20_000, maxBytes: 100 }
      expect(await runProgram({ argv, ...limits })).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) })
      expect(await runWithTerminal(argv, { env: {} })).toMatch(reason)
      expect(await runClipboardProgram([program, ...words], Buffer.from('text'))).toBe(false)
      const lists: unknown[] = []
      await listFiles({ command: [program, ...words], folder: '/', onFiles: (files) => lists.push(files) })
      expect(lists).toMatchObject([{ count: 0, isWhole: true }])
    }
    expect(() => openBrowser(`https://issuer.example/${tooLong}`, {})).not.toThrow()
  })
})

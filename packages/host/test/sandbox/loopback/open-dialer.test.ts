import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDialer } from '../../../src/sandbox/loopback/open-dialer.ts'

it('the process that dials is a Node where SIGUSR1 opens no debugger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dialer-'))
  try {
    const file = join(folder, 'argv')
    // In place of the entrance to a loopback: it writes down what it is to start, and ends.
    const dialer = openDialer(['/bin/sh', '-c', `printf '%s ' "$@" > '${file}'`, 'sh'])
    await expect(dialer.dial(1)).rejects.toThrow()
    expect(readFileSync(file, 'utf8').split(' ').slice(0, 2)).toEqual([process.execPath, '--disable-sigusr1'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

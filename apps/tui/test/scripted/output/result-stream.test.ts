import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { openResultStream } from '../../../src/scripted/output/result-stream.ts'

test('lines arrive whole and in order, larger ones than a pipe holds too', async () => {
  await using folder = await tempDirectory()
  const path = join(folder.path, 'out')
  const descriptor = openSync(path, 'w')
  const stream = openResultStream(descriptor)
  const lines = ['a', 'ü'.repeat(200_000), '', 'z']
  for (const line of lines) stream.line(line)
  expect(await stream.done()).toBeNull()
  closeSync(descriptor)
  expect(await readFile(path, 'utf8')).toBe(`${lines.join('\n')}\n`)
})

test('done waits for what is written meanwhile', async () => {
  await using folder = await tempDirectory()
  const path = join(folder.path, 'out')
  const descriptor = openSync(path, 'w')
  const stream = openResultStream(descriptor)
  stream.line('first')
  const done = stream.done()
  await Promise.resolve()
  stream.line('second')
  await done
  closeSync(descriptor)
  expect(await readFile(path, 'utf8')).toBe('first\nsecond\n')
})

test('a reader that leaves breaks the stream, and nothing is said of what comes later', async () => {
  await using folder = await tempDirectory()
  const fifo = join(folder.path, 'fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const reader = spawn('cat', [fifo], { stdio: 'ignore' })
  // Waits for the reader to open its end.
  const descriptor = openSync(fifo, 'w')
  const stream = openResultStream(descriptor)
  reader.kill('SIGKILL')
  await once(reader, 'exit')
  stream.line('into the void')
  expect((await stream.broken).code).toBe('EPIPE')
  stream.line('again')
  expect((await stream.done())?.code).toBe('EPIPE')
  closeSync(descriptor)
})

test('a stream is behind while its reader does not read, and the reader gets everything', async () => {
  await using folder = await tempDirectory()
  const fifo = join(folder.path, 'fifo')
  const go = join(folder.path, 'go')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const count = 'exec <"$0"; until [ -e "$1" ]; do sleep 0.02; done; exec wc -c'
  const reader = spawn('sh', ['-c', count, fifo, go], { stdio: ['ignore', 'pipe', 'ignore'] })
  const counted = reader.stdout.setEncoding('utf8').toArray()
  const descriptor = openSync(fifo, 'w')
  const stream = openResultStream(descriptor)
  stream.write('x'.repeat(400_000))
  expect(stream.isBehind).toBe(true)
  const drained = stream.drained()
  stream.line('')
  await writeFile(go, '')
  await drained
  expect(stream.isBehind).toBe(false)
  expect(await stream.done()).toBeNull()
  closeSync(descriptor)
  expect((await counted).join('').trim()).toBe('400001')
})

test.runIf(process.platform === 'linux')('a disk that is full breaks it too', async () => {
  const descriptor = openSync('/dev/full', 'w')
  const stream = openResultStream(descriptor)
  stream.line('x')
  expect((await stream.done())?.code).toBe('ENOSPC')
  closeSync(descriptor)
})

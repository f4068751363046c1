import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasNats, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { readServerArguments } from '../../src/programs/arguments.ts'

const folder = join(import.meta.dirname, '../../../../docs/operating')
const tls = join(import.meta.dirname, '../../../testkit/fixtures/tls')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Reads a command line as the server does; the program's own words come first. */
function argumentsOf([, server, ...args]: readonly string[]) {
  expect(server).toBe('server')
  return readServerArguments(args)
}

const served = {
  role: 'service',
  metrics: true,
  store: expect.arrayContaining([expect.stringMatching(/^tls:.*:4222$/)]),
}

test('the unit for systemd starts a server of a store', () => {
  const [, line = ''] = /^ExecStart=(.+)$/m.exec(read('parley.service')) ?? []
  expect(argumentsOf(line.split(' '))).toMatchObject(served)
})

test('the compose file starts servers of a store', () => {
  const commands = [...read('compose.yaml').matchAll(/command: (\[.+\])$/gm)].map(([, words = '']) => JSON.parse(words))
  const ours = commands.filter(([program]) => program === 'parley')
  expect(ours).toHaveLength(2)
  for (const command of ours) expect(argumentsOf(command)).toMatchObject(served)
  expect(commands.filter(([flag]) => flag === '-c')).toHaveLength(3)
})

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd takes the unit', async () => {
  await using place = await tempDirectory()
  const unit = join(place.path, 'parley.service')
  // The program and the user of the unit are not those of this machine.
  writeFileSync(
    unit,
    read('parley.service')
      .replace('/usr/local/bin/parley', process.execPath)
      .replace(/^User=.*$/m, ''),
  )
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes(unit))).toEqual([])
})

test.skipIf(!hasNats)('a server of the store takes its configuration', async () => {
  await using place = await tempDirectory()
  const file = join(place.path, 'nats.conf')
  const text = read('nats.conf')
    .replace('/etc/nats/server.pem', join(tls, 'certificate.pem'))
    .replace('/etc/nats/ca.pem', join(tls, 'certificate.pem'))
    .replace('/etc/nats/server.key', join(tls, 'key.pem'))
    .replace('/var/lib/nats', place.path)
  writeFileSync(file, text)
  const { status, stderr } = spawnSync('nats-server', ['-t', '-c', file, '--name', 'store-a'], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
})

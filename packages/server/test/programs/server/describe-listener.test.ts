import { loopbackCertificate } from '@parley/testkit'
import { expect, test } from 'vitest'
import { describeCertificate, describeListener } from '../../../src/programs/server/report-start.ts'

const users = { file: '/users', lines: [] }

test('a server that other machines reach says so at its start, and what protects it', () => {
  const said = (address: string) => describeListener({ address, tokenFile: '/token', page: null }, null)
  expect(said('ws://127.0.0.1:7100')).toBe('parley server listens on ws://127.0.0.1:7100 (token in /token)')
  expect(said('wss://0.0.0.0:7100')).toMatch(/at every address of this machine, .* the token only; TLS hides it/)
  for (const address of ['ws://0.0.0.0:7100', 'ws://[::]:7100', 'ws://192.168.0.7:7100'])
    expect(said(address), address).toMatch(/Other machines reach it .*without TLS whoever is on the way reads it/)
  const ofTeam = describeListener({ address: 'wss://a.example:7100', tokenFile: null, page: null }, users)
  expect(ofTeam).toMatch(/users in \/users; it has none yet.* get in with the token of a user only/)
  expect(describeListener({ address: '/run/parley.sock', tokenFile: null, page: null }, users)).toBe(
    'parley server listens on /run/parley.sock',
  )
})

test('a certificate that clients reject for its dates is named at the start; any other is not', () => {
  const said = (day: string) => describeCertificate(loopbackCertificate, Date.parse(day))
  expect(said('2126-12-01')).toMatch(/certificate\.pem has expired on \d{4}-\d\d-\d\d, so clients do not connect/)
  expect(said('2001-01-01')).toMatch(/is not valid before \d{4}-/)
  expect(said('2026-11-24')).toBeNull()
  expect(describeCertificate(null, 0)).toBeNull()
})

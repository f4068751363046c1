import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { readTls } from '../src/listen.ts'

test('a certificate or key that does not serve is named by file, with what is wrong and what to name', async () => {
  await using folder = await tempDirectory()
  const path = (name: string) => join(folder.path, name)
  const make = (name: string) => {
    const [cert, key] = [path(`${name}.pem`), path(`${name}.key`)]
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', `/CN=${name}`]
    execFileSync('openssl', ['req', '-x509', ...newKey, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { certFile: cert, keyFile: key }
  }
  const [one, other] = [make('one'), make('other')]
  expect(readTls(one).cert).toBe(readFileSync(one.certFile, 'utf8'))
  expect(() => readTls({ ...one, keyFile: other.keyFile })).toThrow(
    `The key in ${other.keyFile} (--tls-key) is not that of the first certificate in ${one.certFile} (--tls-cert)`,
  )
  const cut = path('cut.pem')
  writeFileSync(cut, readFileSync(one.certFile, 'utf8').slice(0, 200))
  writeFileSync(path('text'), 'not PEM')
  expect(() => readTls({ ...one, certFile: cut })).toThrow(`${cut}, has a certificate that cannot be read`)
  expect(() => readTls({ ...one, certFile: one.keyFile })).toThrow('has a private key and no certificate')
  expect(() => readTls({ ...one, certFile: path('text') })).toThrow('has no certificate in PEM form')
  expect(() => readTls({ ...one, keyFile: path('text') })).toThrow(`--tls-key, ${path('text')}, has no private key`)
})

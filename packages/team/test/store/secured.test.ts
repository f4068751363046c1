import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { openStore, type StoreAddress } from '../../src/store/index.ts'

describe.skipIf(!hasNats)('a secured store', () => {
  test('is opened with its authority and a certificate, and by nobody else', async () => {
    await using place = await tempDirectory()
    const [ours, theirs] = [authority(place.path, 'ours'), authority(place.path, 'theirs')]
    const [server, client, stranger] = [ours('server'), ours('client'), theirs('stranger')]
    const tls = `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ours.ca}", verify: true }`
    await using nats = await startNats({ config: tls })
    const open = (files: StoreAddress['tls']) =>
      opened({ servers: nats.addresses, ...(files === undefined ? {} : { tls: files }) })
    expect(await open({ ca: ours.ca, ...client })).toBe('opened')
    expect(await open({ ca: ours.ca })).toMatch(
      /cannot be reached: it asks for a certificate, and none was given \(ERR_SSL_\S+\)\. Name one .* by cert_file/,
    )
    expect(await open({ ca: ours.ca, ...stranger })).toMatch(
      /cannot be reached: it refuses the certificate in \S+stranger\.pem, the cert_file .* \(ERR_SSL_\S+\)\. It takes those/,
    )
    expect(await open(undefined)).toMatch(/cannot be reached.* by ca_file of \[store\]/)
    expect(await open({ ca: server.key })).toContain('The ca_file of [store], ')
  })

  test('is opened with the credentials of a user, and by nobody else', async () => {
    await using place = await tempDirectory()
    const operator = nkeys.createOperator()
    const account = nkeys.createAccount()
    const system = nkeys.createAccount()
    const limits = { subs: -1, conn: -1, data: -1, payload: -1, wildcards: true }
    const accountOf = (of: nkeys.KeyPair, more: object) => tokenOf(of, operator, { type: 'account', ...more })
    await using nats = await startNats({
      config: `
        operator: ${tokenOf(operator, operator, { type: 'operator' })}
        system_account: ${system.getPublicKey()}
        resolver: MEMORY
        resolver_preload: {
          ${account.getPublicKey()}: ${accountOf(account, { limits: { ...limits, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1, imports: -1, exports: -1, leaf: -1 } })}
          ${system.getPublicKey()}: ${accountOf(system, { limits })}
        }`,
    })
    const credentialsOf = (name: string, issuer: nkeys.KeyPair) => {
      const user = nkeys.createUser()
      const file = join(place.path, `${name}.creds`)
      const limitless = { subs: -1, data: -1, payload: -1 }
      const token = tokenOf(user, issuer, { type: 'user', ...limitless })
      writeFileSync(file, credentialsText(token, Buffer.from(user.getSeed()).toString()))
      return file
    }
    const open = (credentialsFile?: string) =>
      opened({ servers: nats.addresses, ...(credentialsFile === undefined ? {} : { credentialsFile }) })
    expect(await open(credentialsOf('member', account))).toBe('opened')
    expect(await open(credentialsOf('stranger', nkeys.createAccount()))).toContain('cannot be reached')
    expect(await open()).toContain('cannot be reached')
  })
})

/** Opens and closes a store. Resolves to the sentence of what kept it from that, else to `opened`. */
async function opened(address: StoreAddress): Promise<string> {
  try {
    // As a server opens it that waits for as long as that may help.
    const wait = { onAway: () => undefined, isPatient: true }
    await using _store = await openStore({ ...address, replicas: 1, files: nodeFiles, wait })
    return 'opened'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Makes a certificate authority in a folder; the function makes a certificate for loopback with its key. */
function authority(folder: string, name: string) {
  const path = (file: string) => join(folder, file)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const ca = path(`${name}-ca.pem`)
  const caKey = path(`${name}-ca.key`)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', caKey, '-out', ca, '-days', '2', '-subj', `/CN=${name}`)
  const issue = (of: string) => {
    const [cert, key, request] = [path(`${of}.pem`), path(`${of}.key`), path(`${of}.csr`)]
    openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${of}`)
    const extensions = path(`${of}.ext`)
    writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1')
    openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      ca,
      '-CAkey',
      caKey,
      '-CAcreateserial',
      '-out',
      cert,
      '-days',
      '2',
      '-extfile',
      extensions,
    )
    return { cert, key }
  }
  return Object.assign(issue, { ca })
}

/** Returns a token of NATS: claims about one key, signed with another. */
function tokenOf(about: nkeys.KeyPair, issuer: nkeys.KeyPair, claims: object): string {
  const encode = (value: object | Uint8Array) =>
    Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64url')
  const body = {
    jti: createHash('sha256').update(about.getPublicKey()).digest('hex'),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: about.getPublicKey(),
    nats: { version: 2, ...claims },
  }
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(body)}`
  return `${signed}.${encode(issuer.sign(Buffer.from(signed)))}`
}

/** Returns the text of a file of credentials as nsc writes it. */
function credentialsText(token: string, seed: string): string {
  const part = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`
  return part('NATS USER JWT', token) + part('USER NKEY SEED', seed)
}

/**
 * Runs the tests that depend on the user a second time, as an ordinary user in a copy of the checkout. For root on
 * Linux. The last line of stdout is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../bundle/places.mjs'
import { countResults, readReport } from './count-results.mjs'

/** Tests of limits of commands, of rights on files, and of attacks on a server of the user. */
const parts = [
  'packages/host/test/sandbox',
  'packages/journal/test/permissions.test.ts',
  'packages/engine/test/checkup',
  'packages/server/test/environments/hooks-there.test.ts',
  'apps/tui/test/attacks/as-this-user.test.ts',
  'apps/tui/test/e2e/exec-storage.test.ts',
]
const name = 'parley-tests'

const user = madeUser()
const place = user === null ? null : placeFor(user)
if (place === null) {
  console.log('There is no second run: no user can be made here, or none reaches a copy of the checkout.')
  console.log('\n0 passed, 0 failed')
} else {
  const counts = runIn(place, user)
  rmSync(place.folder, { recursive: true, force: true })
  if (counts.failures.length > 0) console.log(`\nfailed as ${name}:\n  ${counts.failures.join('\n  ')}`)
  process.exitCode = counts.failed === 0 ? 0 : 1
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
}

/** Returns the ids of the user, and creates it at the first run; null where that is impossible. */
function madeUser() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return null
  const idOf = (what) => spawnSync('id', [what, name], { encoding: 'utf8' })
  if (idOf('-u').status !== 0)
    spawnSync('useradd', ['--system', '--shell', '/bin/sh', '--home-dir', '/nonexistent', name])
  const [uid, gid] = ['-u', '-g'].map((what) => idOf(what))
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null
}

/** Copies the checkout to a folder that the user can reach, by hard links on the same disk; null when that fails. */
function placeFor(user) {
  for (const around of [join(root, 'node_modules/.cache'), '/var/tmp']) {
    const folder = mkdtempSync(join(around, 'as-user-'))
    const copy = join(folder, 'parley')
    if (isCopied(copy) && owns(user, folder)) return { folder, copy }
    rmSync(folder, { recursive: true, force: true })
  }
  return null
}

function isCopied(copy) {
  spawnSync('mkdir', [copy])
  const names = readdirSync(root).filter((one) => one !== '.git' && one !== 'node_modules')
  const packages = readdirSync(join(root, 'node_modules')).filter((one) => one !== '.cache')
  spawnSync('mkdir', [join(copy, 'node_modules')])
  const isDone = (words) => spawnSync('cp', words, { cwd: root }).status === 0
  const all = (how) =>
    isDone([how, ...names, copy]) &&
    isDone([how, ...packages.map((one) => `node_modules/${one}`), join(copy, 'node_modules')])
  if (!all('-al') && !all('-a')) return false
  // Bundled programs of tests are written anew where they have changed, so they are no second names.
  const bundled = 'node_modules/.cache/parley-tests'
  if (existsSync(join(root, bundled)))
    cpSync(join(root, bundled), join(copy, bundled), { recursive: true, preserveTimestamps: true })
  return true
}

/** Gives the folders, and what tests write, to the user; returns true where the user reaches them. */
function owns({ uid, gid }, folder) {
  const owner = `${uid}:${gid}`
  spawnSync('find', [folder, '-type', 'd', '-exec', 'chown', owner, '{}', '+'])
  const cache = join(folder, 'parley/node_modules/.cache')
  if (existsSync(cache)) spawnSync('chown', ['-R', owner, cache])
  return spawnSync('test', ['-r', join(folder, 'parley/package.json')], { uid, gid }).status === 0
}

function runIn({ folder, copy }, { uid, gid }) {
  const report = join(folder, 'results.json')
  const env = {
    VITEST_MAX_WORKERS: '4',
    ...process.env,
    HOME: folder,
    USER: name,
    LOGNAME: name,
  }
  const vitest = [join(copy, 'node_modules/.bin/node'), join(copy, 'node_modules/vitest/vitest.mjs')]
  const words = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`, ...parts]
  // Drops the groups of root, which give access to files of others.
  const apart = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...vitest, ...words]
  const { status } = spawnSync('setpriv', apart, { cwd: copy, env, stdio: ['ignore', 'inherit', 'inherit'] })
  return countResults(readReport(report), status, (file) => relative(copy, file))
}

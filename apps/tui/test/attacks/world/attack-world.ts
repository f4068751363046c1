import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EnvVariables,
  type ModelServer,
  type RecordedRequest,
  type ScriptedStep,
  startModelServer,
} from '@parley/testkit'
import { type AttackUser, giveTo } from './attack-user.ts'
import { type AttackedServer, type ServerRecipe, startAttackedServer } from './attacked-server.ts'
import type { Places } from './placeholders.ts'
import { type Recorders, startRecorders } from './recorders.ts'

/** A machine in small: a home with secrets, who listens on it, a model that says what was written down, and a server. */
export interface AttackWorld extends AsyncDisposable {
  readonly user: AttackUser
  readonly base: string
  readonly home: string
  readonly parleyHome: string
  /** A folder that the server's starter left open as descriptors 10 and 251. */
  readonly held: string
  readonly canary: string
  readonly key: string
  readonly server: AttackedServer
  readonly recorders: Recorders
  readonly model: ModelServer
  /** `A` full, `B` partial, `C` none. */
  readonly enforcement: string
  /** Scripts the answers of the model in the conversation whose first message names this attack. */
  script(attack: string, steps: readonly ScriptedStep[]): void
  requestsOf(attack: string): readonly RecordedRequest[]
  /** Fresh folders of one attack, with what its placeholders stand for. */
  places(attack: string): Places
  /** Arguments and environment of a server over this home. */
  environment(home: string): EnvVariables
  makeHome(config?: string): string
  /** A further server, over another home unless told. */
  another(recipe?: AnotherServer): Promise<OtherServer>
}

export type OtherServer = AttackedServer & { readonly home: string; readonly parleyHome: string }

export interface AnotherServer extends Partial<Omit<ServerRecipe, 'user'>> {
  readonly home?: string
  /** Lines before the provider's table; `{HOME}` is the home it is written for. */
  readonly config?: string
}

/** The name of an attack, as its first message says it and each model request repeats it. */
const attackName = /attack <([^>]+)>/

export async function startAttackWorld(user: AttackUser): Promise<AttackWorld> {
  await using stack = new AsyncDisposableStack()
  const base = baseFolder(user, stack)
  // Where the checkout lies may be hidden inside.
  const probe = join(base, 'probe.pl')
  copyFileSync(probeScript, probe)
  chmodSync(probe, 0o644)
  const scripts = createScripts()
  const model = stack.use(await startModelServer())
  scripts.answer(model)
  const [canary, key, abstractName] = [secret('canary'), secret('key'), `parley-attack-${secret('socket')}`]
  const machine: Machine = { user, base, canary, key, model }
  const home = makeHome(machine, 'home', '')
  const socket = join(base, 'listener')
  const recorders = stack.use(await startRecorders(socket, abstractName))
  if (user.uid !== null) chmodSync(socket, 0o777)
  const held = makeFolder(machine, 'held')
  makeTemplate(machine)
  // Descriptors that a careless shell leaves open, one of them behind a gap.
  const through = ['bash', '-c', 'exec 10<"$0" 251<"$0"; exec "$@"', held]
  const serve = (at: string, more: AnotherServer = {}) =>
    startAttackedServer({
      user,
      cwd: more.cwd ?? base,
      env: { ...environment(machine, at), ...more.env },
      ...(more.args === undefined ? {} : { args: more.args }),
      through: more.through ?? [],
    })
  // P024 works in it: what lies beside a folder that the user allowed stays hidden.
  const args = ['--allow-secret-folder', join(home, '.aws', 'project')]
  const server = stack.use(await serve(home, { through, args }))
  const { enforcement } = await server.client.request('server/diagnostics', {})
  const owned = stack.move()
  let homes = 0
  const another = (config = '') => {
    homes += 1
    return makeHome(machine, `home-${homes}`, config)
  }
  return {
    user,
    base,
    home,
    parleyHome: join(home, '.parley'),
    held,
    canary,
    key,
    server,
    recorders,
    model,
    enforcement,
    script: scripts.script,
    requestsOf: scripts.requestsOf,
    places: (attack) => ({
      ...makePlaces(machine, attack),
      HOME: home,
      SESSIONS: join(home, '.parley', 'sessions'),
      TMP: realpathSync(tmpdir()),
      TCP: String(recorders.tcp),
      UDP: String(recorders.udp),
      SOCK: socket,
      ABS: abstractName,
      CANARY: canary,
      KEY: key,
      SERVER_PID: String(server.pid),
      HELD: held,
      MODEL_PORT: new URL(model.url).port,
      PROBE: `/usr/bin/perl ${probe}`,
      FILE_BYTES: process.env['PARLEY_LONG_TESTS'] === '1' ? '2000000000' : '100000000',
      FORKS: process.env['PARLEY_LONG_TESTS'] === '1' ? '5000' : '1000',
      BYTES: process.env['PARLEY_LONG_TESTS'] === '1' ? '10000000000' : '100000000',
    }),
    environment: (at) => environment(machine, at),
    makeHome: another,
    async another(recipe = {}) {
      const at = recipe.home ?? another(recipe.config)
      const other = owned.use(await serve(at, recipe))
      return { ...other, home: at, parleyHome: join(at, '.parley') }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const probeScript = join(import.meta.dirname, '../../../../../packages/host/test/fixtures/probe.pl')

interface Machine {
  readonly user: AttackUser
  readonly base: string
  readonly canary: string
  readonly key: string
  readonly model: ModelServer
}

const secret = (name: string) => `${name}${randomBytes(12).toString('hex')}`

/** Outside the system's folder for temporary files, which a sandbox replaces: there nothing would be protected by it. */
function baseFolder(user: AttackUser, stack: AsyncDisposableStack): string {
  const base = realpathSync(mkdtempSync('/var/tmp/parley-attack-'))
  stack.defer(() => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))
  giveTo(user, base)
  return base
}

function makeFolder({ user, base }: Machine, name: string): string {
  const path = join(base, name)
  mkdirSync(path, { recursive: true })
  giveTo(user, path)
  return path
}

function makeHome(machine: Machine, name: string, config: string): string {
  const home = join(machine.base, name)
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, '.ssh', 'id_test'), `${machine.canary}\n`, { mode: 0o600 })
  mkdirSync(join(home, '.aws'), { mode: 0o700 })
  // Known by no pattern and no variable: only a mask keeps it from being read.
  writeFileSync(join(home, '.aws', 'credentials'), 'plain-words-of-a-credential\n', { mode: 0o600 })
  writeFileSync(join(home, '.bashrc'), '# as it was\n')
  mkdirSync(join(home, '.parley'), { mode: 0o700 })
  writeFileSync(join(home, '.parley', 'config.toml'), configOf(machine, config.replaceAll('{HOME}', home)))
  mkdirSync(join(home, 'run'), { mode: 0o700 })
  giveTo(machine.user, home)
  return home
}

function configOf({ model }: Machine, more: string): string {
  return `model_provider = "fake"
model = "m1"
${more}
[model_providers.fake]
base_url = "${model.url}"
wire_api = "responses"
env_key = "ATTACK_PROVIDER_KEY"
stream_max_retries = 0
request_max_retries = 0
`
}

function environment({ canary, key }: Machine, home: string): EnvVariables {
  return {
    HOME: home,
    PARLEY_HOME: join(home, '.parley'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    ATTACK_PROVIDER_KEY: key,
    ATTACK_SECRET_TOKEN: canary,
    SSH_AUTH_SOCK: join(home, 'run', 'agent'),
  }
}

/** Repository with one commit, copied for each attack. */
function makeTemplate({ base }: Machine): void {
  const template = join(base, 'template')
  mkdirSync(template)
  writeFileSync(join(template, 'a.txt'), 'a\n')
  writeFileSync(join(template, 'b.txt'), 'b\n')
  writeFileSync(join(template, 'f'), 'one\ntwo\n')
  mkdirSync(join(template, 'src'))
  writeFileSync(join(template, 'src', 'x.txt'), 'x\n')
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', '-c', 'init.templateDir=']
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...who, '-C', template, ...args], { env: { PATH: process.env['PATH'] ?? '' }, stdio: 'pipe' })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  mkdirSync(join(template, '.git', 'hooks'), { recursive: true })
}

function makePlaces({ user, base }: Machine, attack: string): Places {
  const own = join(base, attack.replaceAll(/[^\w-]/g, '-'))
  mkdirSync(join(own, 'out'), { recursive: true })
  const workspace = join(own, 'work')
  cpSync(join(base, 'template'), workspace, { recursive: true })
  symlinkSync(workspace, join(own, 'worklink'))
  writeFileSync(join(own, 'out', 'victim'), 'victim\n')
  giveTo(user, own)
  return { WS: workspace, WSLINK: join(own, 'worklink'), OUT: join(own, 'out') }
}

/** Answers of the model in each conversation, though all of them ask the same server. */
function createScripts() {
  const steps = new Map<string, ScriptedStep[]>()
  const requests = new Map<string, RecordedRequest[]>()
  const nameIn = (text: string) => attackName.exec(text)?.[1] ?? ''
  const route =
    (model: ModelServer): ScriptedStep =>
    async (request) => {
      model.script([route(model)])
      const name = nameIn(request.text)
      requests.set(name, [...(requests.get(name) ?? []), request])
      const step = steps.get(name)?.shift() ?? { text: 'done' }
      return typeof step === 'function' ? await step(request) : step
    }
  return {
    script: (attack: string, more: readonly ScriptedStep[]) => void steps.set(attack, [...more]),
    requestsOf: (attack: string): readonly RecordedRequest[] => requests.get(attack) ?? [],
    answer: (model: ModelServer) => model.script([route(model)]),
  }
}

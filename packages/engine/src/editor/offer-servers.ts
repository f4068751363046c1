import { type Config, printable } from '@parley/config'
import { identityOf, type Sandboxes } from '@parley/host'
import { type CeilingFlags, type EditorLaunch, type EditorServerTrust, hashOfEditorLaunch } from '@parley/policy'
import { type ConversationId, type SandboxMode, settingsInForce } from '@parley/protocol'
import { createRedactor, isSecretName, type Redaction, secretValue } from '@parley/redaction'
import { joinShellWords } from '@parley/text'
import { realOrGiven } from '@parley/workspace'
import type { AllowedServer, AllowedServers } from '../limits/allowed-servers.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import type { EditorServer, EditorServers, OfferedServer } from '../ports/editor.ts'
import { runsAsOwn } from './runs-as-own.ts'

export interface OfferPorts {
  /** Returns an open conversation; undefined for one that is not open in this process. */
  readonly find: (conversationId: ConversationId) => LiveConversation | undefined
  readonly ceiling: CeilingFlags
  /** Reads the user's own configuration. */
  readonly own: () => Config
  readonly allowedServers: AllowedServers
  readonly trust: EditorServerTrust
  readonly sandboxes: Pick<Sandboxes, 'report'>
  readonly redaction: Pick<Redaction, 'learn' | 'seal'>
  readonly report: (fault: unknown, conversationId: ConversationId) => void
  /** ms since the epoch. */
  readonly now: () => number
}

/** Server of an editor as it would start now: for the question to the user, for the decision about it, and for its start. */
interface PlannedServer {
  readonly shown: Omit<OfferedServer, 'state'>
  readonly launch: EditorLaunch
  readonly server: AllowedServer
}

export function createEditorServers(ports: OfferPorts): EditorServers {
  const { find, allowedServers, trust } = ports
  /** Servers that were offered last for each session, by their names there. */
  const offered = new Map<ConversationId, ReadonlyMap<string, PlannedServer>>()

  function start(conversationId: ConversationId, { server }: PlannedServer): void {
    allowedServers.add(conversationId, server)
    find(conversationId)?.mcp.relimit()
  }

  return {
    async offer(conversationId, servers) {
      for (const { env } of servers) ports.redaction.learn(secretsIn(env))
      const live = find(conversationId)
      const reason = refusalOf(live, ports)
      if (live === undefined || reason !== null)
        return { kind: 'refused', reason: reason ?? 'the conversation is not open here' }
      const running = new Set(allowedServers.of(conversationId).map(({ name }) => name))
      const configured = new Set(live.mcp.names().filter((name) => !running.has(name)))
      const { named, problems } = namedServers(servers, configured)
      const planned = await Promise.all(named.map((server) => planServer(server, live, ports)))
      offered.set(conversationId, new Map(planned.map((one) => [one.shown.name, one])))
      const shown = planned.map((one): OfferedServer => {
        const { name, hash } = one.shown
        const verdict = trust.read(one.launch.folder).get(hash)
        if (verdict === 'trusted' && !running.has(name)) start(conversationId, one)
        const state = running.has(name) || verdict === 'trusted' ? 'started' : (verdict ?? 'open')
        return { ...one.shown, state }
      })
      return { kind: 'offered', servers: shown, problems }
    },
    async decide(conversationId, { hash, name }, verdict) {
      const planned = offered.get(conversationId)?.get(name)
      if (planned?.shown.hash !== hash) return
      const { folder, command } = planned.launch
      try {
        trust.keep(folder, { hash, verdict, decidedAt: new Date(ports.now()).toISOString(), name, command })
      } catch (error) {
        // The answer counts for this session all the same, and the next one asks again.
        ports.report(error, conversationId)
      }
      if (verdict === 'trusted' && refusalOf(find(conversationId), ports) === null) start(conversationId, planned)
    },
    async withdraw(conversationId) {
      offered.delete(conversationId)
      allowedServers.remove(conversationId)
      find(conversationId)?.mcp.relimit()
    },
  }
}

/** Returns the secrets among the values of variables, those behind the scheme of a header too. */
function secretsIn(env: EditorServer['env']) {
  return Object.entries(env).flatMap(([name, value]) => {
    const bare = /^(?:bearer|basic|token) +(\S+)$/i.exec(value)?.[1]
    return [...secretValue(name, value), ...(bare === undefined ? [] : secretValue(name, bare))]
  })
}

/** Returns why no server of an editor is started for a conversation; null where they are. */
function refusalOf(live: LiveConversation | undefined, { ceiling }: OfferPorts): string | null {
  if (live === undefined) return 'the conversation is open in another process'
  const { maxSandbox, isSafe } = ceiling
  if (isSafe === true) return 'parley acp was started with --safe'
  if (maxSandbox !== null && maxSandbox !== 'danger-full-access')
    return `parley acp was started with --max-sandbox ${maxSandbox}`
  const { core } = live.conversation.state
  if (core.settings.environment !== undefined)
    return `the session works in the environment ${core.settings.environment}`
  if (live.conversation.readOnly) return 'the conversation can only be read here'
  return settingsInForce(core).approvalPolicy === 'never' ? 'the approval policy is never, so nobody is asked' : null
}

/** Plans the start of a server, by the folder of its conversation and by the sandboxes of this machine. */
async function planServer(server: EditorServer, live: LiveConversation, ports: OfferPorts): Promise<PlannedServer> {
  const { conversation, roles } = live
  const { environment } = roles.act.history
  const { name, command, args, env } = server
  const folder = realOrGiven(conversation.state.core.meta.cwd)
  const own = ports.own()
  const program =
    own.acp?.editor_servers === 'own' ? await runsAsOwn(server, workspaceOf(conversation.state), environment) : null
  const { enforcement, reason } = await ports.sandboxes.report()
  const how = program !== null ? 'own' : enforcement === 'full' ? 'sandboxed' : 'unconfined'
  const sealed = how === 'sandboxed' ? {} : { sealedValues: ports.redaction.seal(openValues(env)) }
  const launch = { folder, command, args, variables: Object.keys(env), how, ...sealed } as const
  const network = own.sandbox_workspace_write?.network_access === true
  const { sandbox } = settingsInForce(conversation.state.core)
  const startsIn = program === null ? folder : environment.home
  return {
    shown: {
      name,
      words: [command, ...args],
      folder: startsIn,
      variables: how === 'sandboxed' ? launch.variables : shownVariables(env),
      limits: limitsText({ how, folder, sandbox, network, reason }),
      hash: hashOfEditorLaunch(launch),
    },
    launch,
    server: {
      ...{ name, args, env },
      command: program ?? command,
      folder: startsIn,
      confinedTo: program === null ? { identity: identityOf(folder), mayRunUnsandboxed: how === 'unconfined' } : null,
    },
  }
}

/** Returns the variables for a question about their values, too; values with the name of a secret are left out. */
function shownVariables(env: EditorServer['env']): string[] {
  const { text } = createRedactor({ values: [], tag: () => 'hidden' })
  return Object.entries(env).map(([name, value]) =>
    isSecretName(name) ? name : joinShellWords([`${name}=${text(value)}`]),
  )
}

/** Returns the variables that are not named as secrets: the user also allows their values outside the sandbox. */
function openValues(env: EditorServer['env']): string {
  const named = Object.entries(env).filter(([name]) => !isSecretName(name))
  return JSON.stringify(named.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

interface EditorServerConfinement extends Pick<EditorLaunch, 'how' | 'folder'> {
  readonly sandbox: SandboxMode
  readonly network: boolean
  /** Reason for which nothing here confines a program in full. */
  readonly reason: string
}

function limitsText({ how, folder, sandbox, network, reason }: EditorServerConfinement): string {
  if (how === 'own') return 'outside any sandbox, as your own servers are (editor_servers = "own" in your config.toml)'
  if (how === 'unconfined') return `outside any sandbox: it may do all that your account may. ${printable(reason)}`
  const writes = sandbox === 'read-only' ? 'changes no file' : `changes files in ${folder} only`
  return `in the sandbox: it ${writes}, sees no places of secrets, and has ${network ? 'the network' : 'no network'}`
}

/** Most servers of a session: each is a question and a program. */
const mostServers = 32
/** Longest command with its arguments and variables, in characters. */
const longestLaunch = 64 * 1024
const longestName = 64

/**
 * Gives the servers of an editor names that fit into the names of tools, each once. A server that cannot be started is left
 * out, with a sentence about it in `problems`.
 */
function namedServers(servers: readonly EditorServer[], configured: ReadonlySet<string>) {
  const named = new Map<string, EditorServer>()
  const problems: string[] = []
  for (const server of servers) {
    const name = fittingName(server.name)
    const problem = named.size >= mostServers ? `a session has ${mostServers} at most` : problemOf(server, name)
    const configuredTwice = configured.has(name) ? 'a server of config.toml has this name' : null
    const why = problem ?? configuredTwice ?? (named.has(name) ? 'another one has this name' : null)
    if (why === null) named.set(name, { ...server, name })
    else problems.push(`${printable(server.name) || 'a server without a name'}: ${why}.`)
  }
  return { named: [...named.values()], problems }
}

/** Returns a name in the form of the names of a project's servers. */
function fittingName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, longestName)
}

function problemOf({ command, args, env }: EditorServer, name: string): string | null {
  if (name === '') return 'its name has no letter or digit'
  if (command === '') return 'it has no command'
  const texts = [command, ...args, ...Object.entries(env).flat()]
  if (texts.some((text) => text.includes('\0'))) return 'its command holds a NUL byte'
  if (texts.reduce((length, text) => length + text.length, 0) > longestLaunch) return 'its command is too long'
  return Object.keys(env).every((variable) => /^[^=]+$/.test(variable)) ? null : 'one of its variables has no name'
}

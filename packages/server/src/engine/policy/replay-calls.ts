import { type DecideSettings, decide, type Grant, grantFor, type Rules, trustedRules } from '@parley/policy'
import type { Enforcement, ParamsOf, ResultOf } from '@parley/protocol'
import { findConversation } from '../read/find-conversation.ts'
import { configHere } from '../settings/read-config.ts'
import { type PolicyPorts, readWantedRules, type WantedRules } from './read-rules.ts'
import { factsOf, type RecordedCall, recordedCalls, wantedConversation } from './recorded-calls.ts'
import { enforcementThere, judgementOf } from './test-command.ts'

type Params = ParamsOf<'policy/replay'>
type Replayed = ResultOf<'policy/replay'>['calls'][number]

const maxTitleLength = 200

/** Decides each recorded call again from its stored facts. Settings not given in `params` are those recorded. */
export async function replayCalls(params: Params, ports: PolicyPorts): Promise<ResultOf<'policy/replay'>> {
  const conversationId = await findConversation(ports.files, ports.home, wantedConversation(params))
  const recorded = recordedCalls(ports.files, ports.home, conversationId)
  const enforcement = await enforcementNow(params, ports)
  const calls: Replayed[] = []
  const grants: Grant[] = []
  const rulesBy = new Map<string, Rules>()
  for (const call of recorded) {
    const policyFile = params.policyFile ?? call.settings.policyFile
    const key = JSON.stringify([policyFile, call.cwd, call.settings.environment])
    const rules = rulesBy.get(key) ?? (await rulesFor(call, wanted(params, policyFile), ports))
    rulesBy.set(key, rules)
    const replayed = replay(call, settingsOf(call, { params, enforcement, rules, grants }), grants)
    if (replayed !== null) calls.push(replayed)
  }
  return { conversationId, calls, skipped: recorded.length - calls.length }
}

/** Reads the rules for one call; those of its project as trusted now, if it worked on this machine. */
async function rulesFor({ cwd, settings }: RecordedCall, given: WantedRules, ports: PolicyPorts): Promise<Rules> {
  const rules = await readWantedRules(ports.userRules, given)
  if (settings.environment !== undefined) return rules
  const { project, own } = configHere(cwd, {}, ports)
  return [...rules, ...trustedRules(project, own)]
}

function wanted({ rules, cwd = '/' }: Params, policyFile: string | undefined) {
  return { cwd, rules, policyFile }
}

/** Resolves to the enforcement on this machine for a given sandbox mode; null for the recorded one. */
async function enforcementNow({ sandbox }: Params, { places }: PolicyPorts): Promise<Enforcement | null> {
  if (sandbox === undefined) return null
  const { environment: place, release } = places.take({ environment: undefined, config: {} })
  return enforcementThere(place, sandbox).finally(release)
}

interface Given {
  readonly params: Params
  readonly enforcement: Enforcement | null
  readonly rules: Rules
  readonly grants: readonly Grant[]
}

function settingsOf({ settings }: RecordedCall, { params, enforcement, rules, grants }: Given): DecideSettings {
  return {
    rules,
    sessionGrants: grants,
    approvalPolicy: params.approvalPolicy ?? settings.approvalPolicy,
    sandboxMode: params.sandbox ?? settings.sandbox,
    enforcement: enforcement ?? settings.enforcement,
    network: settings.network === true,
  }
}

/** Decides one call again. A grant for the session applies to the calls after it, as it did then. */
function replay(call: RecordedCall, settings: DecideSettings, grants: Grant[]): Replayed | null {
  const facts = factsOf(call)
  const { item, questions } = call
  const { decision } = item
  if (facts === null || (decision === undefined && questions.length === 0)) return null
  const after = decide(facts, settings)
  if (decision?.answer === 'approvedForSession') {
    const grant = grantFor(facts, after.run)
    if (grant !== null) grants.push(grant)
  }
  const asked = questions.at(-1)?.asked
  return {
    itemId: item.id,
    tool: item.tool,
    title: item.title.slice(0, maxTitleLength),
    before: {
      verdict: decision?.verdict ?? 'ask',
      rule: decision?.rule ?? asked?.rule ?? { name: 'builtin:ask' },
      ...(decision?.answer === undefined ? {} : { answer: decision.answer }),
    },
    after: judgementOf(after),
  }
}

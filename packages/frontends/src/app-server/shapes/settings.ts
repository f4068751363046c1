import type { ApprovalPolicy, Overrides, Settings } from '@parley/protocol'
import { codexError } from '../wire/codex-error.ts'
import type { CodexParams } from '../wire/params.ts'
import { activeProfile, profileOverrides } from './permission-profiles.ts'

/** Returns the policy as Codex names it; `on-failure` is gone there, and the nearest is `on-request`. */
export function policyName(policy: ApprovalPolicy): Exclude<ApprovalPolicy, 'on-failure'> {
  return policy === 'on-failure' ? 'on-request' : policy
}

function sandboxShape({ sandbox, network = false, writableRoots }: Settings) {
  switch (sandbox) {
    case 'danger-full-access':
      return { type: 'dangerFullAccess' }
    case 'read-only':
      return { type: 'readOnly', networkAccess: false }
    case 'workspace-write':
      return {
        type: 'workspaceWrite',
        writableRoots,
        networkAccess: network,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      }
  }
}

/** Returns the environments of a thread: always one, under the name that Codex has for its own machine. */
export function environmentsOf(cwd: string, writableRoots: readonly string[] = []) {
  return [{ environmentId: 'local', cwd, runtimeWorkspaceRoots: [cwd, ...writableRoots] }]
}

/** Settings of a thread in the answers that open one. */
export function settingsShape(settings: Settings, cwd: string, instructionFiles: readonly string[]) {
  const { model, modelProvider, effort = null, approvalPolicy, writableRoots } = settings
  return {
    model,
    modelProvider,
    serviceTier: null,
    disabledPluginIds: [],
    cwd,
    runtimeWorkspaceRoots: [cwd, ...writableRoots],
    instructionSources: instructionFiles,
    approvalPolicy: policyName(approvalPolicy),
    approvalsReviewer: 'user',
    sandbox: sandboxShape(settings),
    activePermissionProfile: activeProfile(settings.sandbox),
    reasoningEffort: effort,
    multiAgentMode: 'explicitRequestOnly',
  }
}

/** Settings of a thread as `thread/settings/updated` tells them. */
export function threadSettings(settings: Settings, cwd: string) {
  const { model, modelProvider, effort = null, approvalPolicy, writableRoots } = settings
  return {
    disabledPluginIds: [],
    cwd,
    environments: environmentsOf(cwd, writableRoots),
    approvalPolicy: policyName(approvalPolicy),
    approvalsReviewer: 'user',
    sandboxPolicy: sandboxShape(settings),
    activePermissionProfile: activeProfile(settings.sandbox),
    model,
    modelProvider,
    serviceTier: null,
    effort,
    summary: null,
    collaborationMode: {
      mode: 'default',
      settings: { model, reasoning_effort: effort, developer_instructions: null },
    },
    multiAgentMode: 'explicitRequestOnly',
    personality: null,
  }
}

/** Keys of a client's `config` that count. The others belong to parts that Codex has, or are not for clients. */
const configKeys: ReadonlySet<string> = new Set([
  'compact_prompt',
  'model_auto_compact_token_limit',
  'model_context_window',
  'model_reasoning_effort',
  'profile',
])

/** Returns the overrides of a thread that is opened. Throws for a policy that this server does not have. */
export function openingOverrides(params: CodexParams<'threadStart'>): Omit<Overrides, 'cwd'> {
  const { model, modelProvider, approvalPolicy, sandbox, config, runtimeWorkspaceRoots: roots, cwd } = params
  const known = Object.entries(config ?? {}).filter(([key]) => configKeys.has(key))
  const added = (roots ?? []).filter((root) => root !== cwd)
  return {
    ...(model == null ? {} : { model }),
    ...(modelProvider == null ? {} : { modelProvider }),
    ...(approvalPolicy == null ? {} : { approvalPolicy: policyIn(approvalPolicy) }),
    ...(sandbox == null ? {} : { sandbox }),
    ...profileOverrides(params.permissions, sandbox),
    ...(known.length === 0 ? {} : { config: Object.fromEntries(known) }),
    ...(added.length === 0 ? {} : { addDirs: added }),
  }
}

type TurnOverrides = Pick<
  Overrides,
  'model' | 'effort' | 'approvalPolicy' | 'sandbox' | 'cwd' | 'writableRoots' | 'network'
>

/** Returns the settings of a turn that differ from the thread's. Throws for settings that this server does not have. */
export function turnOverrides(params: CodexParams<'settingsUpdate'>, settings: Settings, cwd: string): TurnOverrides {
  const wanted: TurnOverrides = {
    ...(params.model == null ? {} : { model: params.model }),
    ...(params.effort == null ? {} : { effort: params.effort }),
    ...(params.approvalPolicy == null ? {} : { approvalPolicy: policyIn(params.approvalPolicy) }),
    ...(params.cwd == null ? {} : { cwd: params.cwd }),
    ...rootsIn(params, settings),
    ...sandboxOverrides(params.sandboxPolicy),
    ...profileOverrides(params.permissions, params.sandboxPolicy),
  }
  const now: TurnOverrides = {
    ...settings,
    network: settings.network ?? false,
    cwd,
    approvalPolicy: policyName(settings.approvalPolicy),
  }
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => !isSame(value, Reflect.get(now, key))))
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the writable folders with the folders that a turn adds; leaving one out does not remove it. */
function rootsIn({ runtimeWorkspaceRoots: roots, cwd }: CodexParams<'settingsUpdate'>, settings: Settings) {
  const added = (roots ?? []).filter((root) => root !== cwd && !settings.writableRoots.includes(root))
  return added.length === 0 ? {} : { writableRoots: [...settings.writableRoots, ...added] }
}

/** Returns the settings of a sandbox policy. Throws for settings that this server does not have. */
export function sandboxOverrides(
  policy: CodexParams<'turnStart'>['sandboxPolicy'],
): Pick<Overrides, 'sandbox' | 'network' | 'writableRoots'> {
  switch (policy?.type) {
    case undefined:
      return {}
    case 'dangerFullAccess':
      return { sandbox: 'danger-full-access' }
    case 'readOnly':
      if (policy.networkAccess === true)
        throw codexError('sandboxPolicy: readOnly has no network here; commands ask for it')
      return { sandbox: 'read-only' }
    case 'workspaceWrite':
      return {
        sandbox: 'workspace-write',
        network: policy.networkAccess ?? false,
        ...(policy.writableRoots == null ? {} : { writableRoots: policy.writableRoots }),
      }
    case 'externalSandbox':
      throw codexError(
        'sandboxPolicy: externalSandbox is not offered; start the server with --max-sandbox danger-full-access instead',
      )
  }
}

function policyIn(policy: NonNullable<CodexParams<'threadStart'>['approvalPolicy']>): ApprovalPolicy {
  if (typeof policy === 'string') return policy
  throw codexError('approvalPolicy: granular is not offered; use untrusted, on-request or never')
}

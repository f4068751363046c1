import {
  approvalWords,
  type ThemeName,
  themeNames,
  themeWords,
  writableWords,
} from '@parley/presentation/commands/setting-choices'
import {
  approvalPolicies,
  efforts,
  effortWords,
  isStricterSandbox,
  modeOf,
  modes,
  type SandboxMode,
  type Settings,
  sandboxModes,
} from '@parley/protocol'
import { type MenuRow, plainRow } from './menu.ts'

type CommandLimits = Pick<Settings, 'approvalPolicy' | 'sandbox' | 'network'>

export function approvalRows(limits: CommandLimits): readonly MenuRow[] {
  return approvalPolicies.map((policy) => ({
    ...plainRow,
    key: policy,
    text: policy,
    detail: approvalWords[policy],
    isCurrent: policy === limits.approvalPolicy,
    warning: policy === 'never' && limits.approvalPolicy !== 'never' ? neverWarning(limits) : null,
  }))
}

function neverWarning({ sandbox }: CommandLimits): string {
  return sandbox === 'danger-full-access'
    ? 'Everything runs with all your rights, and nothing asks you first.'
    : 'Nothing asks you: what the limits allow runs at once, the rest is denied.'
}

export function sandboxRows(limits: CommandLimits): readonly MenuRow[] {
  const current = sandboxModes.indexOf(limits.sandbox)
  return sandboxModes.map((mode, index) => ({
    ...plainRow,
    key: mode,
    text: mode,
    detail: sandboxWords(mode, limits),
    isCurrent: index === current,
    warning: index > current ? widerWarning(mode, limits) : null,
  }))
}

/** Returns the modes; for limits without a name no row is current. */
export function modeRows(limits: CommandLimits): readonly MenuRow[] {
  const current = modeOf(limits)
  return modes.map(({ name, about, sandbox }) => ({
    ...plainRow,
    key: name,
    text: name,
    detail: about,
    isCurrent: name === current,
    warning: isStricterSandbox(limits.sandbox, sandbox) ? widerWarning(sandbox, limits) : null,
  }))
}

function sandboxWords(mode: SandboxMode, { network }: CommandLimits): string {
  if (mode === 'danger-full-access') return writableWords[mode]
  return `${writableWords[mode]}; ${mode === 'workspace-write' && network === true ? 'with' : 'no'} network`
}

function widerWarning(mode: SandboxMode, { approvalPolicy }: CommandLimits): string {
  if (mode !== 'danger-full-access') return 'Commands may change files in the working folder.'
  const asks = approvalPolicy === 'untrusted' ? '' : ' Almost nothing asks you first.'
  const none = approvalPolicy === 'never' ? ' Nothing asks you first.' : asks
  return `No limits: commands may write anywhere, use the network and read your keys.${none}`
}

/** Returns the levels, with the provider's own word in force, and a row for no level where no level is set. */
export function effortRows({ effort }: Pick<Settings, 'effort'>): readonly MenuRow[] {
  const known = efforts.map((level) => effortRow(level, effortWords[level], effort))
  if (effort === undefined) return [effortRow("the model's own", 'no level is sent', "the model's own"), ...known]
  const isKnown = efforts.some((level) => level === effort)
  return isKnown ? known : [...known, effortRow(effort, 'from your configuration', effort)]
}

export function themeRows(current: ThemeName): readonly MenuRow[] {
  return themeNames.map((name) => ({
    ...plainRow,
    key: name,
    text: name,
    detail: themeWords[name],
    isCurrent: name === current,
  }))
}

function effortRow(level: string, detail: string, current: string | undefined): MenuRow {
  return { ...plainRow, key: level, text: level, detail, isCurrent: level === current }
}

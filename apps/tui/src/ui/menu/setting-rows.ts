import {
  type ApprovalPolicy,
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
import { type ThemeName, themeNames } from '../../view/text/theme.ts'
import { type MenuRow, plainRow } from './menu.ts'

type Limits = Pick<Settings, 'approvalPolicy' | 'sandbox' | 'network'>

const approvalWords: Readonly<Record<ApprovalPolicy, string>> = {
  untrusted: 'asks before every change and all but harmless commands',
  'on-failure': 'asks once the sandbox has blocked a command',
  'on-request': 'asks to leave the sandbox or use the network, rules aside',
  never: 'never asks: what would need a yes is denied',
}

/** Choices of a setting with what they mean, where nothing is known of the settings in force. */
export interface SettingChoice {
  readonly key: string
  readonly detail: string
}

export const approvalChoices = approvalPolicies.map((key): SettingChoice => ({ key, detail: approvalWords[key] }))

export function approvalRows(limits: Limits): readonly MenuRow[] {
  return approvalPolicies.map((policy) => ({
    ...plainRow,
    key: policy,
    text: policy,
    detail: approvalWords[policy],
    isCurrent: policy === limits.approvalPolicy,
    warning: policy === 'never' && limits.approvalPolicy !== 'never' ? neverWarning(limits) : null,
  }))
}

function neverWarning({ sandbox }: Limits): string {
  return sandbox === 'danger-full-access'
    ? 'Everything runs with all your rights, and nothing asks you first.'
    : 'Nothing asks you: what the limits allow runs at once, the rest is denied.'
}

export function sandboxRows(limits: Limits): readonly MenuRow[] {
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

export const modeChoices = modes.map(({ name, about }): SettingChoice => ({ key: name, detail: about }))

/** Returns the modes; none is current where the limits have no name. */
export function modeRows(limits: Limits): readonly MenuRow[] {
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

const writableWords: Readonly<Record<SandboxMode, string>> = {
  'read-only': 'their own /tmp and nothing else',
  'workspace-write': 'the working folder and /tmp',
  'danger-full-access': 'no sandbox: all that its account may do, with network',
}

export const sandboxChoices = sandboxModes.map((key): SettingChoice => {
  const detail = writableWords[key]
  return { key, detail: key === 'danger-full-access' ? `${detail}; in a window that was started for it` : detail }
})

function sandboxWords(mode: SandboxMode, { network }: Limits): string {
  if (mode === 'danger-full-access') return writableWords[mode]
  return `${writableWords[mode]}; ${mode === 'workspace-write' && network === true ? 'with' : 'no'} network`
}

function widerWarning(mode: SandboxMode, { approvalPolicy }: Limits): string {
  if (mode !== 'danger-full-access') return 'Commands may change files in the working folder.'
  const asks = approvalPolicy === 'untrusted' ? '' : ' Almost nothing asks you first.'
  const none = approvalPolicy === 'never' ? ' Nothing asks you first.' : asks
  return `No limits: commands may write anywhere, use the network and read your keys.${none}`
}

export const effortChoices = efforts.map((key): SettingChoice => ({ key, detail: effortWords[key] }))

/** Returns the levels, with the provider's own word where that is in force, or a row for none where none is set. */
export function effortRows({ effort }: Pick<Settings, 'effort'>): readonly MenuRow[] {
  const known = efforts.map((level) => effortRow(level, effortWords[level], effort))
  if (effort === undefined) return [effortRow("the model's own", 'no level is sent', "the model's own"), ...known]
  const isKnown = efforts.some((level) => level === effort)
  return isKnown ? known : [...known, effortRow(effort, 'from your configuration', effort)]
}

const themeWords: Readonly<Record<ThemeName, string>> = {
  auto: "by the terminal's background",
  light: 'for a light background',
  dark: 'for a dark background',
  ansi: "the terminal's own 16 colours",
  'high-contrast': 'nothing dim, code and changes marked strongly',
}

export const themeChoices = themeNames.map((key): SettingChoice => ({ key, detail: themeWords[key] }))

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

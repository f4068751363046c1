import {
  type ApprovalPolicy,
  approvalPolicies,
  efforts,
  effortWords,
  modes,
  type SandboxMode,
  sandboxModes,
} from '@parley/protocol'

/** Names that a user can choose from; `auto` goes by the terminal's background. */
export const themeNames = ['auto', 'light', 'dark', 'ansi', 'high-contrast'] as const

export type ThemeName = (typeof themeNames)[number]

export const approvalWords: Readonly<Record<ApprovalPolicy, string>> = {
  untrusted: 'asks before every change and all but harmless commands',
  'on-failure': 'asks once the sandbox has blocked a command',
  'on-request': 'asks to leave the sandbox or use the network, rules aside',
  never: 'never asks: what would need a yes is denied',
}

/** Choice of a setting with its meaning, independent of the settings in force. */
export interface SettingChoice {
  readonly key: string
  readonly detail: string
}

export const approvalChoices = approvalPolicies.map((key): SettingChoice => ({ key, detail: approvalWords[key] }))

export const modeChoices = modes.map(({ name, about }): SettingChoice => ({ key: name, detail: about }))

export const writableWords: Readonly<Record<SandboxMode, string>> = {
  'read-only': 'their own /tmp and nothing else',
  'workspace-write': 'the working folder and /tmp',
  'danger-full-access': 'no sandbox: all that its account may do, with network',
}

export const sandboxChoices = sandboxModes.map((key): SettingChoice => {
  const detail = writableWords[key]
  return { key, detail: key === 'danger-full-access' ? `${detail}; in a window that was started for it` : detail }
})

export const effortChoices = efforts.map((key): SettingChoice => ({ key, detail: effortWords[key] }))

export const themeWords: Readonly<Record<ThemeName, string>> = {
  auto: "by the terminal's background",
  light: 'for a light background',
  dark: 'for a dark background',
  ansi: "the terminal's own 16 colours",
  'high-contrast': 'nothing dim, code and changes marked strongly',
}

export const themeChoices = themeNames.map((key): SettingChoice => ({ key, detail: themeWords[key] }))

import type { SettingsPatch } from '@parley/protocol'

/** What was changed, for a line of the transcript. */
export function settingsLine({ model, modelProvider, effort, approvalPolicy, sandbox }: SettingsPatch): string {
  const named: readonly (readonly [string, string | undefined])[] = [
    ['Sandbox', sandbox],
    ['Approvals', approvalPolicy],
    ['Provider', modelProvider],
    ['Model', model],
    ['Effort', effort],
  ]
  return named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ')
}

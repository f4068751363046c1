import { expect, test } from 'vitest'
import { notificationWays } from '../apps/tui/src/terminal/notification.ts'
import { configSchema } from '../packages/config/src/config-schema.ts'
import { themeNames } from '../packages/presentation/src/commands/setting-choices.ts'
import { approvalPolicies, sandboxModes } from '../packages/protocol/src/modes/setting-names.ts'

const { approval_policy: policy, sandbox_mode: mode, tui } = configSchema.shape
const { theme, notifications } = tui.unwrap().shape
const [, way] = notifications.unwrap().options

test.each([
  ['approval policies', approvalPolicies, policy.unwrap().options],
  ['sandbox modes', sandboxModes, mode.unwrap().options],
  ['themes', themeNames, theme.unwrap().options],
  ['ways to notify', notificationWays, way.options],
])('the %s of the terminal are those of config.toml', (_, shown, configured) => {
  expect(shown).toEqual(configured)
})

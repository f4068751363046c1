import type { Parley } from '@parley/client'
import { themeNames } from '@parley/presentation/commands/setting-choices'
import type { Overrides } from '@parley/protocol'
import { type NotificationWay, notificationWays } from '../terminal/notification.ts'
import type { Look } from '../ui/state/ui-state.ts'

/** Settings of the window itself, from the user's configuration; a project cannot set them. */
export interface UserSettings {
  /** Program that gets notifications as JSON, with its words; null without one. */
  readonly notify: readonly string[] | null
  readonly notifications: NotificationWay
  /** Program that writes the status line, with its words; null for the usual status line. */
  readonly statusLine: readonly string[] | null
  readonly look: UserLook
}

/** Settings of the screen that the configuration may name. */
export type UserLook = Pick<Look, 'theme' | 'isStill' | 'ambiguousWidth'>

export const usualSettings: UserSettings = {
  notify: null,
  notifications: 'auto',
  statusLine: null,
  look: { theme: 'auto', isStill: false, ambiguousWidth: 1 },
}

/** Reads the settings from this window's own server. */
export async function readUserSettings(
  parley: Pick<Parley, 'request'>,
  params: Overrides & { readonly cwd: string },
): Promise<UserSettings> {
  const { values } = await parley.request('config/read', params)
  const settingAt = (key: string) => values.find((entry) => entry.key === key)?.value
  return {
    notify: wordsIn(settingAt('notify')),
    notifications: wayIn(settingAt('tui.notifications')),
    statusLine: wordsIn(settingAt('tui.status_line')),
    look: {
      theme: themeNames.find((name) => name === settingAt('tui.theme')) ?? usualSettings.look.theme,
      isStill: settingAt('tui.reduced_motion') === true,
      ambiguousWidth: settingAt('tui.ambiguous_width') === 2 ? 2 : 1,
    },
  }
}

function wordsIn(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null
  const words = value.filter((word) => typeof word === 'string')
  return words.length === 0 ? null : words
}

function wayIn(value: unknown): NotificationWay {
  if (value === false) return 'off'
  return notificationWays.find((way) => way === value) ?? 'auto'
}

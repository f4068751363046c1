import { roleNamed, shareableRoles } from '@parley/presentation/commands/share-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import { type Access, type ConversationId, type ResultOf, type Role, shortIdOf } from '@parley/protocol'
import { connect } from '../../cli/connect.ts'
import { exitCodes, misused } from '../../cli/exit-codes.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { formatTime } from '../../cli/messages.ts'

export interface ShareFlags {
  readonly link?: boolean
  readonly days?: number
  readonly revoke?: string
}

const dayMs = 24 * 3_600_000

/** Runs `parley share`: lists the users and links of a conversation, or changes them. */
export async function shareConversation(
  launch: Launch,
  [conversation, user, role]: readonly [string, string | undefined, string | undefined],
  flags: ShareFlags,
): Promise<number> {
  const given = role === undefined ? null : readRole(role)
  await using parley = await connect(launch, { clientName: 'parley-share' })
  const { conversationId, core } = await parley.request('conversation/export', { conversation, limit: 1 })
  const say = (text: string) => launch.streams.stdout.write(showEffects(text))
  if (user !== undefined) {
    if (given === null) throw misused(`Say as what: ${Object.keys(shareableRoles).join(', ')}.`)
    await parley.request('conversation/share', { conversationId, user, role: given.role })
    say(
      given.role === null
        ? `${user} does not reach it any more.\n`
        : `${user} is ${given.role} of ${shortIdOf(conversationId)}.\n`,
    )
  } else if (flags.revoke !== undefined) {
    await parley.request('conversation/link/revoke', { conversationId, linkId: flags.revoke })
    say('The link is revoked.\n')
  } else if (flags.link === true) {
    const life = flags.days === undefined ? {} : { lifeMs: flags.days * dayMs }
    const made = await parley.request('conversation/link/make', { conversationId, ...life })
    launch.streams.stderr.write(linkWords(conversationId, made))
    say(`${made.code}\n`)
  } else say(accessText(core?.meta.access))
  return exitCodes.ok
}

function linkWords(conversationId: ConversationId, made: ResultOf<'conversation/link/make'>): string {
  const { linkId, expiresAt, url } = made
  const browser = url === undefined ? '' : `In a browser: ${url}\n`
  return `Whoever has this code reads the conversation until ${formatTime(expiresAt)}: it is a token for --token-file. parley share ${shortIdOf(conversationId)} --revoke ${linkId} ends it.\n${browser}`
}

function readRole(word: string): { readonly role: Role | null } {
  const role = roleNamed(word)
  if (role === undefined) throw misused(`The roles are: ${Object.keys(shareableRoles).join(', ')}.`)
  return { role }
}

function accessText(access: Access | undefined): string {
  const { members, links } = access ?? { members: [], links: [] }
  if (members.length === 0) return 'No user of a server reaches it. parley share ID NAME owner gives it an owner.\n'
  return [
    ...members.map(({ user, role }) => `${user}  ${role}\n`),
    ...links.map(({ linkId, expiresAt }) => `link ${linkId}  reads until ${formatTime(expiresAt)}\n`),
  ].join('')
}

import type { Conversation, Parley } from '@parley/client'
import type { ConversationSummary } from '@parley/protocol'
import { forkConversation } from '../cli/connect.ts'
import { type ExecFlags, isMissingHere, overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'

/** Conversation of a run: a new one, one that goes on, or a copy of one up to the event `at`. */
export type Target =
  | { readonly kind: 'new' }
  | ({ readonly kind: 'resume' } & NamedOrLast)
  | ({ readonly kind: 'fork'; readonly at: number | null } & NamedOrLast)

/** Conversation by any of its names, or the newest one. */
export type NamedOrLast = { readonly last: true } | { readonly last: false; readonly id: string }

type Opener = Pick<Parley, 'create' | 'fork' | 'request' | 'resume'>

/** Opens the conversation of a run; one that is live in another process is joined there. */
export function openTarget(parley: Opener, target: Target, flags: ExecFlags): Promise<Conversation> {
  const overrides = overridesOf(flags)
  const folder = () => overrides.cwd ?? workingFolder()
  switch (target.kind) {
    case 'new':
      return parley.create({ ...overrides, ...(flags.ephemeral === true ? { ephemeral: true } : {}), cwd: folder() })
    case 'resume':
      return parley.resume(target.last ? { last: true, cwd: folder() } : target.id, { overrides })
    case 'fork':
      return forkConversation(
        parley,
        { from: target.last ? { last: true, cwd: folder() } : { prefix: target.id }, at: target.at },
        overrides,
      )
  }
}

/** Returns a sentence if the conversation's policy file is gone: a run without its rules might run denied commands. */
export function missingPolicy({ settings }: ConversationSummary, flags: ExecFlags): string | null {
  const { policyFile } = settings
  if (flags.policy !== undefined || !isMissingHere(policyFile, flags)) return null
  return `The policy file of this conversation is gone: ${policyFile}. Give another with --policy.`
}

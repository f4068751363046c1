import * as z from 'zod'
import { nameForm } from '../modes/user-names.ts'
import { conversationId } from './ids.ts'
import { leftAlone } from './redaction-marks.ts'
import { sandboxMode } from './settings.ts'

/** Name of a user: small letters, digits, dots, dashes and underscores. */
export const userName = leftAlone(
  z.string().regex(nameForm, 'may have small letters, digits and . _ - and at most 32 of them'),
  'id',
)

export const role = z
  .enum(['owner', 'editor', 'approver', 'reader'])
  .describe(
    '`reader` reads, `approver` also answers questions, `editor` also sends and changes settings, `owner` also shares and deletes.',
  )

const sharedLink = z
  .object({
    linkId: leftAlone(z.string(), 'id'),
    codeHash: leftAlone(z.string(), 'hash').describe('SHA-256 of its code, in hex.'),
    expiresAt: z.number().describe('ms since the epoch.'),
  })
  .describe('A link that lets anyone read the conversation until it expires or is revoked.')

export const access = z
  .object({
    members: z.array(z.object({ user: userName, role })),
    links: z.array(sharedLink),
  })
  .describe('Users and links that reach a conversation on a server with users.')

/** Person that a client acts for, on a server with users. */
export const person = z
  .discriminatedUnion('kind', [
    z
      .object({
        kind: z.literal('user'),
        name: userName,
        maxSandbox: sandboxMode.exactOptional().describe('Most that the user may use, as of the handshake.'),
      })
      .describe('A user.'),
    z
      .object({
        kind: z.literal('guest'),
        conversationId,
        codeHash: leftAlone(z.string(), 'hash')
          .exactOptional()
          .describe(
            'SHA-256 of the code, which names the link in `access`; absent for a read-only page of `web/open`.',
          ),
      })
      .describe('A guest with a link to one conversation.'),
  ])
  .describe('Person that this connection acts for; absent for the operator.')

export const clientAccess = z
  .enum(['full', 'readOnly'])
  .describe('`readOnly`: methods that change something are -32007.')

export type ClientAccess = z.infer<typeof clientAccess>
export type Person = z.infer<typeof person>
export type UserName = z.infer<typeof userName>
export type Role = z.infer<typeof role>
export type SharedLink = z.infer<typeof sharedLink>
export type Access = z.infer<typeof access>

import * as z from 'zod'
import { userName } from '../access.ts'
import { sandboxMode } from '../settings.ts'

const seq = z.int().describe('Seq of the event that recorded it.')

const listedUser = z
  .object({
    user: userName,
    role: z.enum(['admin', 'member']),
    maxSandbox: sandboxMode.exactOptional(),
    removed: z
      .literal(true)
      .exactOptional()
      .describe('The name stays reserved, so that no other user gets its access.'),
  })
  .describe('A user of a server.')

const newToken = z.object({
  token: z.string().describe('Token for clients of the user. It is returned once; only its hash is kept.'),
})

export const peopleMethods = {
  'conversation/share': {
    about:
      'Gives a user a role in a conversation, or takes it away at once on every server that has it. The last owner stays.',
    result: z.object({ seq }),
  },
  'conversation/link/make': {
    about: 'Creates a link that lets anyone read the conversation until it expires or is revoked.',
    result: z.object({
      seq,
      linkId: z.string(),
      code: z.string().describe('Code of the link, returned once: the token of a client that may only read.'),
      url: z
        .string()
        .exactOptional()
        .describe('Where a browser shows it, with the code behind `#`; absent where the server serves no page.'),
      expiresAt: z.number().describe('ms since the epoch.'),
    }),
  },
  'conversation/link/revoke': {
    about: 'Ends a link at once, for its present readers, too.',
    result: z.object({ seq }),
  },
  'user/list': {
    about: 'Lists the users of a server.',
    result: z.object({
      file: z.string().nullable().describe('Path of the users file; null for a server without users.'),
      users: z.array(listedUser),
    }),
  },
  'user/add': {
    about: 'Adds a user. A name that had a user before is rejected without `again`.',
    result: newToken,
  },
  'user/remove': {
    about: 'Removes a user: the token becomes invalid, and its connections are closed. Shares are kept.',
    result: z.object({}),
  },
  'user/token': {
    about: 'Makes a new token for a user. The earlier one counts no more.',
    result: newToken,
  },
} as const

export type ListedUser = z.infer<typeof listedUser>

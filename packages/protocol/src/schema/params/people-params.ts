import * as z from 'zod'
import { role, userName } from '../access.ts'
import { conversationId } from '../ids.ts'
import { sandboxMode } from '../settings.ts'

const user = userName.describe('Name of a user.')

/** Parameters of methods about users and their access, without schemas of results. */
export const peopleParams = {
  'conversation/share': z.object({
    conversationId,
    user,
    role: role.nullable().describe('Null takes the conversation away from the user.'),
  }),
  'conversation/link/make': z.object({
    conversationId,
    lifeMs: z
      .int()
      .min(1000)
      .max(366 * 24 * 3_600_000)
      .exactOptional()
      .describe('Time until it expires; default 7 days.'),
  }),
  'conversation/link/revoke': z.object({
    conversationId,
    linkId: z.string().describe('Id of the link, from `conversation/link/make` or the state.'),
  }),
  'user/list': z.object({}),
  'user/add': z.object({
    user,
    role: z.enum(['admin', 'member']).exactOptional().describe('`admin` manages users. Default `member`.'),
    maxSandbox: sandboxMode
      .exactOptional()
      .describe("Widest mode that this user may set or use; default the server's."),
    again: z.literal(true).exactOptional().describe('Also a removed user, who then regains the shares of the name.'),
  }),
  'user/remove': z.object({ user }),
  'user/token': z.object({ user }),
} as const

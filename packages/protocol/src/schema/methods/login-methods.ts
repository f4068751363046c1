import * as z from 'zod'
import { methodParams } from '../params/params.ts'

const { provider } = methodParams['login/start'].shape
const { loginId } = methodParams['login/cancel'].shape

const keptIn = z
  .enum(['file', 'keyring'])
  .describe('`file`: `credentials.json` in the home, readable by its user only. `keyring`: the keyring of the desktop.')

const variable = z
  .string()
  .nullable()
  .describe('Variable that is used in place of the kept key; null if no variable is set.')

const removed = z.boolean().describe('False if no key was kept.')

const revocation = {
  revocation: z
    .enum(['done', 'failed', 'unsupported'])
    .exactOptional()
    .describe(
      'Result of revoking the tokens at the issuer; absent for a key. `unsupported`: the issuer names no address.',
    ),
  revocationError: z.string().exactOptional().describe('Why it failed, for people.'),
}

export const loginCompleted = z
  .object({
    loginId,
    provider: provider.nullable(),
    mcpServer: z.string().nullable().describe('Name of the MCP server; null for a provider.'),
    success: z.boolean(),
    code: z.string().nullable().describe('Stable code of the failure, as turns have; null after a success.'),
    error: z.string().nullable().describe('Why it failed, for people; null after a success.'),
    keptIn: keptIn.nullable().describe('Place of the key; null after a failure.'),
    variable,
  })
  .describe('End of an attempt to log in.')

const login = z.object({
  provider,
  name: z.string().describe('Name for people.'),
  kind: z.enum(['key', 'oauth']).describe('`oauth`: tokens that are renewed by themselves.'),
  keptIn: keptIn.nullable().describe('Place of the kept key; null for a provider with only a variable.'),
  variable,
})

export const loginMethods = {
  'login/start': {
    about:
      'Begins to log in to a provider: the key is tried by listing its models, then kept. `login/completed` says how that ended. Only for clients on the machine of the server, as all of these methods.',
    result: z.object({
      loginId,
      url: z.string().exactOptional().describe('Address for the browser, with `flow`.'),
      userCode: z.string().exactOptional().describe('Code that the user types there, with `device`.'),
    }),
  },
  'login/cancel': {
    about: 'Ends an attempt to log in; nothing is kept.',
    result: z.object({ cancelled: z.boolean().describe('False when the attempt had ended.') }),
  },
  'login/status': {
    about: 'Lists the providers with a key, in the order of preference. Never returns a key.',
    result: z.object({ logins: z.array(login) }),
  },
  'mcp/login': {
    about:
      'Begins to log in to an MCP server over HTTP by OAuth, in a browser of this machine. `login/completed` says how that ended; the server is then started anew.',
    result: z.object({ loginId, url: z.string().describe('Address for the browser.') }),
  },
  'mcp/logout': {
    about:
      'Forgets the login to an MCP server, and starts it anew. Its tokens are revoked where the issuer has an address for that.',
    result: z.object({ removed, ...revocation }),
  },
  logout: {
    about: 'Forgets the kept key of a provider. Tokens of OAuth are revoked where the issuer has an address for that.',
    result: z.object({
      removed,
      variable,
      ...revocation,
    }),
  },
} as const

export type LoginCompleted = z.infer<typeof loginCompleted>

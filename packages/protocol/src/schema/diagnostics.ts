import * as z from 'zod'
import { clientId, conversationId } from './ids.ts'
import { clientAccess } from './params.ts'
import { enforcement } from './settings.ts'

export const connectedClient = z
  .object({
    clientId,
    name: z.string(),
    title: z.string().describe('Name to show; no two connected clients have the same.'),
    access: clientAccess,
    transport: z.string().describe('`stdio`, `socket`, `websocket` or `inProcess`.'),
    streams: z.int().describe('Number of conversations it streams.'),
    unreadBytes: z.int().describe('Bytes sent to it and not read yet; at most a few MiB, the rest waits in the log.'),
  })
  .describe('A client that is connected to this server.')

export const diagnostics = z
  .object({
    pid: z.int(),
    version: z.string(),
    build: z.string(),
    node: z.string(),
    platform: z.string(),
    home: z.string().describe('Folder the server keeps its conversations in.'),
    uptimeMs: z.number(),
    rssBytes: z.int(),
    enforcement: enforcement.describe('Enforcement of limits on the machine of this server.'),
    enforcementReason: z.string().describe('Mechanism that enforces limits, or what is missing and how to get it.'),
    addresses: z.array(z.string()).describe('Addresses of the server: paths of sockets, `ws://` addresses.'),
    clients: z.array(connectedClient),
    conversations: z.array(
      z.object({
        conversationId,
        activity: z.string(),
        clients: z.int().describe('Number of clients that stream it.'),
        detached: z.boolean().describe('Work in it goes on without clients.'),
        backgroundProcesses: z.int(),
        enforcementReason: z
          .string()
          .exactOptional()
          .describe('Mechanism that enforces limits in its environment, or what is missing for that.'),
      }),
    ),
    ignoredMessages: z.int().describe('Lines of this connection that were not understood or not expected.'),
  })
  .describe('Identity and state of a server.')

export type ConnectedClient = z.infer<typeof connectedClient>

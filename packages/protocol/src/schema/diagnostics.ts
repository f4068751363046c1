import * as z from 'zod'
import { clientAccess } from './params.ts'
import { enforcement } from './settings.ts'

export const connectedClient = z
  .object({
    clientId: z.string(),
    name: z.string(),
    title: z.string().describe('What to call it; no two connected clients have the same.'),
    access: clientAccess,
    transport: z.string().describe('`stdio`, `socket`, `websocket` or `inProcess`.'),
    streams: z.int().describe('Conversations it follows.'),
    unreadBytes: z.int().describe('Sent to it and not read yet; at most a few MiB, the rest waits in the log.'),
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
    enforcement: enforcement.describe('What can enforce limits on the machine of this server.'),
    enforcementReason: z.string().describe('What that is, or what is missing and how to get it.'),
    addresses: z.array(z.string()).describe('Where others reach it: paths of sockets, `ws://` addresses.'),
    clients: z.array(connectedClient),
    conversations: z.array(
      z.object({
        conversationId: z.string(),
        activity: z.string(),
        clients: z.int().describe('How many follow it.'),
        detached: z.boolean().describe('What runs in it goes on without clients.'),
        backgroundProcesses: z.int(),
        enforcementReason: z
          .string()
          .exactOptional()
          .describe('What enforces its limits where it works, or what is missing for that.'),
      }),
    ),
    ignoredMessages: z.int().describe('Lines of this connection that were not understood or not expected.'),
  })
  .describe('What a server is and how it is doing.')

export type ConnectedClient = z.infer<typeof connectedClient>

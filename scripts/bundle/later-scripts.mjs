// Scripts that a program reads only when one of these modules is imported while it runs. Each has packages that most
// starts do not need; two scripts never have the same package.

const websocket = ['packages/rpc/src/websocket/websockets.ts']

const programs = 'packages/server/src/programs'

export const laterOfServer = {
  'server-mcp': [`${programs}/mcp-server/run-mcp-server.ts`],
  'server-app-server': [`${programs}/app-server/run-app-server.ts`],
  'server-acp': [`${programs}/acp/run-acp.ts`],
  'server-mcp-client': [
    'packages/mcp-client/src/connect.ts',
    'packages/mcp-client/src/replies/lost-session.ts',
    '@modelcontextprotocol/client',
  ],
  'server-json-schema': ['@modelcontextprotocol/server/validators/ajv'],
  'server-shell-parser': ['web-tree-sitter'],
  'server-store': ['packages/team/src/store/index.ts', `${programs}/store/run-store.ts`],
  'server-people': ['packages/team/src/people/open-users.ts'],
  'server-websocket': [...websocket, 'packages/server/src/frontends/web/web-listener.ts'],
  'server-login': ['packages/credentials/src/oauth-client.ts', 'packages/credentials/src/oauth-flows.ts'],
}

/** Scripts of the command line where it opens no window: `parley exec` and the commands that print. */
export const laterOfTerminal = {
  'parley-terminal': [
    'apps/tui/src/plain/run-in-terminal.ts',
    'apps/tui/src/commands/run-demo.ts',
    'apps/tui/src/commands/show.ts',
    'apps/tui/src/commands/export/run-export.ts',
  ],
  'parley-review': [
    'apps/tui/src/scripted/review/review-message-of.ts',
    'apps/tui/src/programs/review-message.ts',
    'apps/tui/src/programs/git/git-changes.ts',
  ],
  'parley-schema': ['packages/protocol/src/schemas.ts', 'apps/tui/src/scripted/input/decode-line.ts'],
  'parley-websocket': websocket,
}

import { catchUp } from './measures/catch-up.mjs'
import { execHello } from './measures/exec-hello.mjs'
import { execServer } from './measures/exec-server.mjs'
import { floodJson, floodText } from './measures/flood.mjs'
import { largeMessage } from './measures/large-message.mjs'
import { longLife } from './measures/long-life.mjs'
import { manyClients } from './measures/many-clients.mjs'
import { manyConversations } from './measures/many-conversations.mjs'
import { policy } from './measures/policy.mjs'
import { redaction } from './measures/redaction.mjs'
import { resume } from './measures/resume.mjs'
import { sandbox } from './measures/sandbox.mjs'
import { screenFlood } from './measures/screen-flood.mjs'
import { screenIdle } from './measures/screen-idle.mjs'
import { screenKeys } from './measures/screen-keys.mjs'
import { screenStart } from './measures/screen-start.mjs'
import { serverFlood } from './measures/server-flood.mjs'
import { serverIdle } from './measures/server-idle.mjs'
import { serverStart } from './measures/server-start.mjs'
import { stalledReader } from './measures/stalled-reader.mjs'
import { team } from './measures/team.mjs'
import { growth, limitedToolCalls, toolCalls } from './measures/tool-calls.mjs'
import { version } from './measures/version.mjs'

/**
 * Measures in the order of the table. Each run gives a figure for each of the `rows`; less is better unless a row says
 * `more`. `prepare` is optional, runs once and is not measured.
 */
export const measures = [
  version,
  screenStart,
  execHello,
  toolCalls,
  growth,
  limitedToolCalls,
  sandbox,
  floodText,
  floodJson,
  serverStart,
  serverFlood,
  serverIdle,
  manyClients,
  manyConversations,
  team,
  catchUp,
  stalledReader,
  resume,
  longLife,
  largeMessage,
  redaction,
  policy,
  execServer,
  screenFlood,
  screenKeys,
  screenIdle,
]

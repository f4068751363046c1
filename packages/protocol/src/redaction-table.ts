// Written by `npm run generate` from the marks in schema/. Do not edit.
import type { ConversationEvent } from './schema/event.ts'
import type { OpenForm } from './schema/redaction-marks.ts'

/** Fields of one type of event that redaction does not treat as plain text, by path. Lists add nothing to a path. */
export interface RedactionExceptions {
  readonly leave: readonly string[]
  /** Fields in `leave` that name side files. */
  readonly sideFiles?: readonly string[]
  /** JSON texts, which must remain JSON. */
  readonly json?: readonly string[]
  readonly open?: Readonly<Record<string, OpenForm>>
}

/** Fields of an item, which several events have. */
const item = {
  leave: [
    'by.clientId',
    'by.user',
    'changes.after',
    'changes.before',
    'content.file',
    'content.mediaType',
    'content.type',
    'cwd',
    'decision.approvalId',
    'decision.by.clientId',
    'decision.by.user',
    'decision.rule.file',
    'decision.scope',
    'ended.itemId',
    'failure.refused.itemIds',
    'id',
    'images.file',
    'images.mediaType',
    'messageId',
    'output.file',
    'patchHash',
    'printed',
    'remembered.by.clientId',
    'remembered.by.user',
    'requestKey',
    'rewind.by.clientId',
    'rewind.by.user',
    'rule.file',
    'type',
    'typed',
  ],
  sideFiles: ['content.file', 'images.file', 'output.file'],
  json: ['calls.arguments', 'input'],
  open: {
    facts: {
      leave: ['contentHash', 'cwd', 'workspace'],
      json: [],
    },
  },
} as const satisfies RedactionExceptions

export const redactionTable: Readonly<Record<ConversationEvent['type'], RedactionExceptions>> = {
  'conversation.created': {
    leave: [
      'access.links.codeHash',
      'access.links.linkId',
      'access.members.user',
      'cwd',
      'settings.writableRoots',
      'type',
    ],
  },
  'conversation.configured': { leave: ['by.clientId', 'by.user', 'settings.writableRoots', 'type'] },
  'conversation.moved': { leave: ['by.clientId', 'by.user', 'cwd', 'type'] },
  'conversation.renamed': { leave: ['by.clientId', 'by.user', 'type'] },
  'conversation.archived': { leave: ['by.clientId', 'by.user', 'type'] },
  'conversation.shared': {
    leave: ['access.links.codeHash', 'access.links.linkId', 'access.members.user', 'by.clientId', 'by.user', 'type'],
  },
  'conversation.recovered': { leave: ['parked', 'pending', 'type'] },
  'conversation.upgraded': { leave: ['type'] },
  'context.set': {
    leave: ['instructions', 'sessionContext', 'tools', 'type'],
    sideFiles: ['instructions', 'sessionContext', 'tools'],
  },
  'context.cleared': { leave: ['by.clientId', 'by.user', 'itemId', 'itemIds', 'turnId', 'type', 'why'] },
  'context.compacted': {
    leave: ['by.clientId', 'by.user', 'carried', 'itemId', 'turnId', 'type'],
    sideFiles: ['carried'],
  },
  'context.restored': { leave: ['by.clientId', 'by.user', 'type'] },
  'message.queued': {
    leave: [
      'message.by.clientId',
      'message.by.user',
      'message.content.file',
      'message.content.mediaType',
      'message.content.type',
      'message.messageId',
      'type',
    ],
    sideFiles: ['message.content.file'],
    json: ['message.calls.arguments'],
  },
  'message.edited': {
    leave: ['by.clientId', 'by.user', 'content.file', 'content.mediaType', 'content.type', 'messageId', 'type'],
    sideFiles: ['content.file'],
  },
  'message.removed': { leave: ['by.clientId', 'by.user', 'messageId', 'type'] },
  'message.consumed': { leave: ['messageId', 'type'] },
  'turn.started': { leave: ['requestKey', 'turnId', 'type'] },
  'turn.parked': { leave: ['turnId', 'type'] },
  'turn.continued': { leave: ['by.clientId', 'by.user', 'requestKey', 'turnId', 'type'] },
  'turn.ended': { leave: ['denials.itemId', 'failure.refused.itemIds', 'turnId', 'type'] },
  'model.requested': { leave: ['request', 'turnId', 'type'] },
  'model.responded': {
    leave: ['calls.callId', 'calls.itemId', 'turnId', 'type'],
    json: ['calls.arguments'],
    open: {
      parts: {
        leave: [
          'type',
          'id',
          'callId',
          'call_id',
          'data',
          'encrypted_content',
          'signature',
          'thought_signature',
          'thoughtSignature',
        ],
        json: ['arguments', 'input'],
      },
    },
  },
  'item.started': withItem('item', { leave: ['turnId', 'type'] }),
  'item.delta': { leave: ['itemId', 'text', 'type'] },
  'item.progress': { leave: ['itemId', 'tail', 'type'] },
  'execution.started': {
    leave: [
      'changes.after',
      'changes.before',
      'decidedBy.approvalId',
      'decidedBy.rule.file',
      'itemId',
      'payloadHash',
      'type',
    ],
  },
  'execution.failed': withItem('item', { leave: ['itemId', 'type'] }),
  'files.changed': {
    leave: ['files.after.hash', 'files.before.hash', 'files.path', 'itemId', 'list', 'type'],
    sideFiles: ['list'],
  },
  'hooks.started': { leave: ['itemId', 'turnId', 'type'] },
  'hook.running': { leave: ['itemId', 'turnId', 'type'] },
  'hook.ran': withItem('rewritten.item', {
    leave: ['itemId', 'messageId', 'turnId', 'type'],
    json: ['rewritten.arguments'],
  }),
  'item.completed': withItem('item', { leave: ['turnId', 'type'] }),
  'item.discarded': { leave: ['itemId', 'type'] },
  'approval.requested': {
    leave: [
      'approval.always.file',
      'approval.answerableBy',
      'approval.contentHash',
      'approval.cwd',
      'approval.files.after',
      'approval.files.before',
      'approval.id',
      'approval.itemId',
      'approval.rule.file',
      'approval.turnId',
      'type',
    ],
    open: {
      'approval.facts': {
        leave: ['contentHash', 'cwd', 'workspace'],
        json: [],
      },
    },
  },
  'approval.decided': { leave: ['approvalId', 'by.clientId', 'by.user', 'scope', 'seal', 'type'] },
  'plan.updated': { leave: ['type'] },
  'forwards.changed': { leave: ['by.clientId', 'by.user', 'type'] },
  'waits.changed': { leave: ['by.clientId', 'by.user', 'type', 'waits.itemId'] },
  'usage.updated': { leave: ['purpose', 'turnId', 'type'] },
  'retry.scheduled': { leave: ['failure.refused.itemIds', 'turnId', 'type'] },
  'model.fellBack': { leave: ['failure.refused.itemIds', 'turnId', 'type'] },
}

/** Adds the fields of the item at a path of an event. */
function withItem(path: string, { leave, json = [] }: RedactionExceptions): RedactionExceptions {
  const below = (fields: readonly string[]) => fields.map((field) => `${path}.${field}`)
  return {
    leave: [...leave, ...below(item.leave)],
    sideFiles: below(item.sideFiles),
    json: [...json, ...below(item.json)],
    open: { [`${path}.facts`]: item.open.facts },
  }
}

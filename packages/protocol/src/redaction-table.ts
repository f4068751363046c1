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

export const redactionTable: Readonly<Record<ConversationEvent['type'], RedactionExceptions>> = {
  'conversation.created': { leave: ['cwd', 'settings.writableRoots', 'type'] },
  'conversation.configured': { leave: ['by.clientId', 'settings.writableRoots', 'type'] },
  'conversation.moved': { leave: ['by.clientId', 'cwd', 'type'] },
  'conversation.renamed': { leave: ['by.clientId', 'type'] },
  'conversation.archived': { leave: ['by.clientId', 'type'] },
  'conversation.recovered': { leave: ['parked', 'pending', 'type'] },
  'conversation.upgraded': { leave: ['type'] },
  'context.set': {
    leave: ['instructions', 'sessionContext', 'tools', 'type'],
    sideFiles: ['instructions', 'sessionContext', 'tools'],
  },
  'context.cleared': { leave: ['itemId', 'itemIds', 'turnId', 'type'] },
  'context.compacted': {
    leave: ['by.clientId', 'carried', 'itemId', 'turnId', 'type'],
    sideFiles: ['carried'],
  },
  'context.restored': { leave: ['by.clientId', 'type'] },
  'message.queued': {
    leave: [
      'message.by.clientId',
      'message.content.file',
      'message.content.mediaType',
      'message.content.type',
      'message.messageId',
      'type',
    ],
    sideFiles: ['message.content.file'],
  },
  'message.edited': {
    leave: ['by.clientId', 'content.file', 'content.mediaType', 'content.type', 'messageId', 'type'],
    sideFiles: ['content.file'],
  },
  'message.removed': { leave: ['by.clientId', 'messageId', 'type'] },
  'message.consumed': { leave: ['messageId', 'type'] },
  'turn.started': { leave: ['requestKey', 'turnId', 'type'] },
  'turn.parked': { leave: ['turnId', 'type'] },
  'turn.continued': { leave: ['by.clientId', 'requestKey', 'turnId', 'type'] },
  'turn.ended': { leave: ['denials.itemId', 'turnId', 'type'] },
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
  'item.started': {
    leave: [
      'item.by.clientId',
      'item.changes.after',
      'item.changes.before',
      'item.content.file',
      'item.content.mediaType',
      'item.content.type',
      'item.cwd',
      'item.decision.approvalId',
      'item.decision.by.clientId',
      'item.decision.rule.file',
      'item.ended.itemId',
      'item.id',
      'item.images.file',
      'item.images.mediaType',
      'item.messageId',
      'item.output.file',
      'item.patchHash',
      'item.requestKey',
      'item.rewind.by.clientId',
      'item.type',
      'turnId',
      'type',
    ],
    sideFiles: ['item.content.file', 'item.images.file', 'item.output.file'],
    json: ['item.input'],
    open: {
      'item.facts': {
        leave: ['contentHash', 'cwd', 'workspace'],
        json: [],
      },
    },
  },
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
  'execution.failed': {
    leave: [
      'item.by.clientId',
      'item.changes.after',
      'item.changes.before',
      'item.content.file',
      'item.content.mediaType',
      'item.content.type',
      'item.cwd',
      'item.decision.approvalId',
      'item.decision.by.clientId',
      'item.decision.rule.file',
      'item.ended.itemId',
      'item.id',
      'item.images.file',
      'item.images.mediaType',
      'item.messageId',
      'item.output.file',
      'item.patchHash',
      'item.requestKey',
      'item.rewind.by.clientId',
      'item.type',
      'itemId',
      'type',
    ],
    sideFiles: ['item.content.file', 'item.images.file', 'item.output.file'],
    json: ['item.input'],
    open: {
      'item.facts': {
        leave: ['contentHash', 'cwd', 'workspace'],
        json: [],
      },
    },
  },
  'files.changed': {
    leave: ['files.after.hash', 'files.before.hash', 'files.path', 'itemId', 'list', 'type'],
    sideFiles: ['list'],
  },
  'item.completed': {
    leave: [
      'item.by.clientId',
      'item.changes.after',
      'item.changes.before',
      'item.content.file',
      'item.content.mediaType',
      'item.content.type',
      'item.cwd',
      'item.decision.approvalId',
      'item.decision.by.clientId',
      'item.decision.rule.file',
      'item.ended.itemId',
      'item.id',
      'item.images.file',
      'item.images.mediaType',
      'item.messageId',
      'item.output.file',
      'item.patchHash',
      'item.requestKey',
      'item.rewind.by.clientId',
      'item.type',
      'turnId',
      'type',
    ],
    sideFiles: ['item.content.file', 'item.images.file', 'item.output.file'],
    json: ['item.input'],
    open: {
      'item.facts': {
        leave: ['contentHash', 'cwd', 'workspace'],
        json: [],
      },
    },
  },
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
  'approval.decided': { leave: ['approvalId', 'by.clientId', 'seal', 'type'] },
  'plan.updated': { leave: ['type'] },
  'usage.updated': { leave: ['purpose', 'turnId', 'type'] },
  'retry.scheduled': { leave: ['turnId', 'type'] },
  'model.fellBack': { leave: ['turnId', 'type'] },
}

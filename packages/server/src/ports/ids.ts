import { v4, v7 } from 'uuid'

/** Where every id comes from; a model's own call ids are only wire fields, because providers repeat them. */
export interface Ids {
  /** UUIDv7: sorts by creation, and its date finds the log file. */
  conversation(): string
  turn(): string
  item(): string
  approval(): string
  message(): string
  client(): string
}

export const randomIds: Ids = {
  conversation: () => v7(),
  turn: () => `t-${tail()}`,
  item: () => `i-${tail()}`,
  approval: () => `a-${tail()}`,
  message: () => v4(),
  client: () => `c-${tail()}`,
}

/** 48 random bits: unique within a conversation, short enough to read. */
function tail(): string {
  return v4().slice(-12)
}

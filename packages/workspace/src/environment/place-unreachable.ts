/** The place where a conversation works cannot be asked. Its message is a sentence for people and for the model. */
export class PlaceUnreachable extends Error {
  override readonly name = 'PlaceUnreachable'
}

/** For `catch`: the value to go on with where a place has no answer; a place that cannot be asked at all is no answer. */
export function whenUnknown<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof PlaceUnreachable) throw error
    return value
  }
}

/** Bytes that a client may leave unread, per connection or stream; above that it is broken off. */
export const unreadLimitBytes = 32 << 20

/** Reason of the end of a connection or stream. */
export const notRead = 'the client does not read what it is sent'

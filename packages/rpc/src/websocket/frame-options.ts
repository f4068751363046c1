/**
 * Both ends. No compression: its windows cost memory per connection and delay, and a network that needs it has ssh.
 * UTF-8 is checked by the transport, so that a bad frame is answered instead of ending the connection.
 */
export const frameOptions = {
  maxPayload: 32 * 1024 * 1024,
  perMessageDeflate: false,
  skipUTF8Validation: true,
} as const

import { type Actor, type ClientAccess, isLooser, type PermissionSettings, type Rights } from '@parley/protocol'
import { rejection } from '../replies/rejection.ts'

/** Right of a client over the limits of conversations. */
export interface LimitsRight {
  /** False for a client that may only make the limits stricter, such as callers of an MCP tool. */
  readonly mayLoosen: boolean
}

/** Client that opens or changes a conversation. */
export interface Guest extends LimitsRight {
  readonly actor: Actor
  readonly access: ClientAccess
  readonly rights: Rights
}

/** Throws `notPermitted` for limits wider than the present ones, by a client that may only tighten them. */
export function assertMayLoosen({ mayLoosen }: LimitsRight, wanted: PermissionSettings, now: PermissionSettings): void {
  if (mayLoosen || !isLooser(wanted, now)) return
  throw rejection(
    'notPermitted',
    `This client may only make the limits of a conversation stricter, and ${limitsText(wanted)} would let more happen than ${limitsText(now)}. Somebody in a terminal can change them: parley attach, then /mode.`,
  )
}

function limitsText({ sandbox, approvalPolicy, network = false }: PermissionSettings): string {
  return `${sandbox} with ${approvalPolicy}${network ? ' and the network' : ''}`
}

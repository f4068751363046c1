import { describe, expect, it } from 'vitest'
import { createParticipants } from '../../src/session/participants.ts'

const follower = {
  clientId: 'c-1',
  access: 'full',
  canApprove: true,
  canRaiseLimits: false,
  counted: () => undefined,
  end: () => undefined,
} as const

describe('the participants of a conversation', () => {
  it('keep a follower when an earlier stream of the same client ends late', () => {
    const participants = createParticipants()
    const endEarlier = participants.follow(follower)
    participants.follow({ ...follower })
    endEarlier()
    endEarlier()
    expect(participants.answerers).toEqual(['c-1'])
    expect(participants.followerCount).toBe(1)
  })

  it('answer only when they can approve', () => {
    const participants = createParticipants()
    participants.follow({ ...follower, canApprove: false })
    expect(participants.answerers).toEqual([])
    expect(participants.followerCount).toBe(1)
  })

  it('take a detached conversation over when a follower may act', () => {
    const participants = createParticipants()
    participants.detach()
    participants.follow({ ...follower, access: 'readOnly' })
    expect(participants.detached).toBe(true)
    participants.follow(follower)
    expect(participants.detached).toBe(false)
  })

  it('learn how many they are when others come and go', () => {
    const participants = createParticipants()
    const told: [string, number][] = []
    const join = (clientId: string) =>
      participants.follow({ ...follower, clientId, counted: (followers) => told.push([clientId, followers]) })
    join('c-1')
    const leave = join('c-2')
    join('c-3')
    leave()
    leave()
    expect(told).toEqual([
      ['c-1', 2],
      ['c-1', 3],
      ['c-2', 3],
      ['c-1', 2],
      ['c-3', 2],
    ])
  })

  it('end every delivery, and each end removes its follower', () => {
    const participants = createParticipants()
    for (const clientId of ['c-1', 'c-2']) {
      const leave: () => void = participants.follow({ ...follower, clientId, end: () => leave() })
    }
    participants.endDeliveries()
    expect(participants.followerCount).toBe(0)
  })
})

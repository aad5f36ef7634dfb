import { useState } from 'react'
import { Reach } from './connection/reach.tsx'
import { State } from './connection/state.tsx'
import { Deliveries } from './deliveries/deliveries.tsx'
import type { Relay } from './relay.ts'

/** How to connect Heroku stands first where that is what is left to do, and stays there under whoever reads it. */
const useReachFirst = ({ connectedAt }: Relay): boolean => useState(connectedAt === null)[0]

export const Side = ({ entry }: { entry: Relay }) => {
  const reachFirst = useReachFirst(entry)
  return (
    <>
      <State entry={entry} />
      {reachFirst && <Reach entry={entry} />}
      <Deliveries entry={entry} />
    </>
  )
}

export const ReachAgain = ({ entry }: { entry: Relay }) => !useReachFirst(entry) && <Reach entry={entry} />

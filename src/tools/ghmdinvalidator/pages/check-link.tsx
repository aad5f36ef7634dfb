import { Link } from '@tanstack/react-router'
import { ghmdinvalidatorTool } from '../tool.ts'

/** Leads to the screen that says why an image is old. */
export const CheckLink = () => <Link to={`/tools/${ghmdinvalidatorTool.id}/check`}>Why is my image old?</Link>

# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be drawn over the 3D viewport: one layer per overlay, and what they share.

How to add one:

1. A module `layers/<name>.py` with a function from a `View` to a list of marks, all in metres, Z up, without state:

       def draw(view: View) -> list[Mark]:
           moment = view.people.moment                                    # of core.inspection.replay
           ends = moment.position + ...                                   # (A, 3); NaN for who is absent
           return [marks.segments(moment.position, ends, colour), marks.Label(...)]

       OVERLAY = Overlay(draw, legend=(...))

   `marks` has lines, discs and labels of whole arrays at once: never loop over agents.
2. A row of that name in `blender_addon/settings/overlay_catalogue.py`: the toggle `scene.footfall.overlays.<name>`, the
   line in the panel and the drawing follow from it. A row for scripts in docs/manual/scripting.md.

A test calls `draw` with a `View` of `view.look` after a bake, in the background; then look at it in a window.

What `View` has depends on what the overlay says it needs, and `draw` is not called before all of it is there; the panel
says what is missing. `Need.SCENE`: `view.reading`, the scene as it was last read, with the core's `Scene`.
`Need.BAKE`: also `view.people`, everybody at the current frame, read back from the keys in the file, so that it is the
same after reopening: `people.replay` (the core's agents, references, planner, what stands) and `people.moment`
(positions, velocities). It is of the scene that the bake was made from, even when that was changed since.
`Need.SELECTED`: also `people.selected`, the number of the agent whose character is the active object.

`draw` is called once per frame, selection and reading, not once per redraw; what costs more belongs in
`functools.lru_cache` or on the objects that live as long as the reading does. What it raises turns the overlay off,
with a word in the panel. Nothing here runs in the background.

    layers       how each is drawn, and beside them:
      overlay      what an overlay is, and what it is shown: the scene, everybody at this frame, the selected agent
      marks        lines, discs, labels, as arrays
    registry     joins the layers with the catalogue in the settings, by name
    view         makes what an overlay is shown
    showing      which overlays are on, what they have drawn, what went wrong
    foot_contacts  what Check Character draws, of no overlay
    painting     marks to the graphics card: the only module that knows gpu and blf

What was drawn, and what the panel says of each overlay, is kept in `runtime.overlay_state`.
"""

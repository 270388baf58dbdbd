// SPDX-License-Identifier: GPL-3.0-or-later
// Flamenco job type: bake the crowds once, then render the frames in chunks.
// Copy this file into the `scripts` folder beside the Flamenco Manager and restart it.

const JOB_TYPE = {
    label: "Footfall Crowd",
    description: "Bake the crowds of a file once, then render its frames in chunks from the baked copy",
    settings: [
        { key: "frames", type: "string", required: true,
          eval: "f'{C.scene.frame_start}-{C.scene.frame_end}'",
          evalInfo: { showLinkButton: true, description: "Frame range of the scene" },
          description: "Frames to render, such as 47, 1-30 or 3, 5-10" },
        { key: "chunk_size", type: "int32", default: 10, visible: "submission",
          description: "Frames that one Blender renders before the next one starts" },
        { key: "settings", type: "string", default: "", visible: "submission",
          description: "Settings of the bake, with a blank between them: crowds.Walkers.count=80 crowds.From East.count=9 seed=7" },
        { key: "render_output_root", type: "string", subtype: "dir_path", required: true, visible: "submission",
          description: "Folder for the pictures and for the baked file" },
        { key: "render_output_path", type: "string", subtype: "file_path", editable: false,
          eval: "str(Path(abspath(settings.render_output_root)) / jobname / '######')",
          description: "Where the pictures go" },
        { key: "blendfile", type: "string", required: true, visible: "web", description: "The file with the crowds" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    checkSettings(settings);
    const folder = path.dirname(settings.render_output_path);
    const baked = path.join(folder, path.stem(settings.blendfile) + ".baked.blend");

    const bake = author.Task("bake crowds", "blender");
    bake.addCommand(blender(settings.blendfile, bakeWords(settings, folder, baked)));
    job.addTask(bake);

    for (const chunk of frameChunker(settings.frames, settings.chunk_size)) {
        const render = author.Task("render-" + chunk, "blender");
        const frames = chunk.split("-").join("..");
        render.addCommand(blender(baked, ["--render-output", settings.render_output_path, "--render-frame", frames]));
        render.addDependency(bake);
        job.addTask(render);
    }
}

// What cannot be done is reported before the first task: the Manager shows it where the job was submitted.
function checkSettings(settings) {
    if (!Number.isInteger(settings.chunk_size) || settings.chunk_size < 1) {
        throw new Error("chunk_size must be a whole number of at least 1, got " + settings.chunk_size);
    }
    for (const part of settings.frames.split(",")) {
        const range = part.match(/^\s*(\d+)\s*(?:(?:-|\.\.)\s*(\d+)\s*)?$/);
        if (!range) {
            throw new Error("frames must be numbers or ranges, such as 47, 1-30 or 3, 5-10; got '" + settings.frames + "'");
        }
        if (range[2] !== undefined && Number(range[2]) < Number(range[1])) {
            throw new Error("frames: a range goes upwards, got '" + part.trim() + "'");
        }
    }
}

function bakeWords(settings, folder, baked) {
    const words = ["--command", "footfall", "bake", "--output", baked, "--report", path.join(folder, "footfall.json")];
    // Names of crowds and objects may hold blanks: a setting begins where `crowds.` or `name=` does.
    for (const setting of settings.settings.trim().split(/\s+(?=crowds\.|[a-z_]+=)/)) {
        if (setting) {
            words.push("--set", setting);
        }
    }
    return words;
}

function blender(file, words) {
    return author.Command("blender-render", {
        exe: "{blender}",
        exeArgs: "{blenderArgs}",
        argsBefore: [],
        blendfile: file,
        args: words,
    });
}

# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings mirror the core's dataclasses, in names, defaults and choices."""

import dataclasses

import bpy
import pytest

pytestmark = pytest.mark.each_blender("properties are registered")

NOT_OFFERED = {"absent", "reach", "agents"}
OF_VEHICLES = {"length", "width", "max_acceleration", "max_deceleration", "time_headway", "turning_radius"}
OWN_DEFAULTS = {"count"}  # one person is no crowd
GROUPS = (
    "FootfallCastClip",
    "FootfallMotion",
    "FootfallScene",
    "FootfallCrowd",
    "FootfallSpawn",
    "FootfallSpeed",
    "FootfallOverlays",
    "FootfallFlocking",
    "FootfallGroups",
    "FootfallFollowing",
    "FootfallPlanWeights",
    "FootfallVehicle",
    "FootfallPresence",
)


def shown(value):
    """A default of the core as the property has it."""
    return value.upper() if isinstance(value, str) else pytest.approx(value, rel=1e-6)


def own_properties(group):
    return [prop for prop in group.bl_rna.properties if prop.identifier != "rna_type"]


@pytest.mark.usefixtures("addon")
def test_a_setting_whose_name_is_misspelt_is_refused():
    kinds = [kind for kind in bpy.types.PropertyGroup.__subclasses__() if kind.__name__.startswith("Footfall")]
    assert set(GROUPS) < {kind.__name__ for kind in kinds}
    assert all("__slots__" in vars(kind) for kind in kinds)  # else each object has attributes of its own
    settings = bpy.context.scene.footfall
    for group in (settings, settings.overlays, settings.crowds.add(), settings.crowds[0].spawn):
        with pytest.raises(AttributeError, match="has no attribute 'arival'"):
            group.arival = "LEAVE"


def every_property(addon):
    module = addon.module("blender_addon.settings.scene_settings")
    return [prop for cls in module.CLASSES for prop in own_properties(cls)]


@pytest.mark.parametrize(
    ("group", "mirrored"),
    [("spawn", "Spawn"), ("speed", "Speed"), ("following", "Following"), ("flocking", "Flocking")],
)
def test_groups_have_the_fields_and_defaults_of_their_dataclass(addon, group, mirrored):
    settings = getattr(addon.module("core.scene"), mirrored)()
    properties = getattr(bpy.context.scene.footfall.crowds.add(), group)
    for field in dataclasses.fields(settings):
        value, default = getattr(properties, field.name), getattr(settings, field.name)
        if dataclasses.is_dataclass(default):
            assert value.to_settings() == default
        else:
            assert value == shown(default), field.name


def test_a_crowd_has_the_fields_and_defaults_of_the_core(addon):
    core = addon.module("core.scene")
    mirrored, crowd = core.Crowd(name="Crowd"), bpy.context.scene.footfall.crowds.add()
    own = {"arrival": "AUTO", "avoidance": mirrored.avoidance_rule.upper(), "radius": pytest.approx(0.235)}
    for field in dataclasses.fields(mirrored):
        if field.name in NOT_OFFERED:
            assert not hasattr(crowd, field.name)
        elif field.name in OF_VEHICLES:
            assert getattr(crowd.vehicle, field.name) == shown(getattr(mirrored, field.name)), field.name
        elif field.name == "slope_effect":
            assert crowd.motion.slope_effect == shown(mirrored.slope_effect)
        elif field.name == "vehicle":
            assert crowd.vehicle.kind == mirrored.vehicle.upper()
        elif field.name in {"place", "activities", "look_at"}:
            assert hasattr(crowd.presence, field.name)
        elif field.name not in {"spawn", "speed", "following", "flocking", "groups", "stops", *OWN_DEFAULTS}:
            default = getattr(mirrored, field.name)
            expected = own.get(field.name, shown(default) if default is not None else None)
            value = crowd.name.upper() if field.name == "name" else getattr(crowd, field.name)
            assert value == expected, field.name
    assert crowd.path_width == shown(core.Route(name="", points=None).width)
    assert bpy.context.scene.footfall.seed == core.Scene.seed


def test_a_new_crowd_says_the_same_as_a_crowd_of_a_scene_file_without_settings(addon):
    core = addon.module("core.scene")
    settings = bpy.context.scene.footfall.crowds.add().to_settings("Walkers", "Walkers", count=7, route="Path")
    expected = core.Crowd(name="Walkers", count=7, route="Path")
    assert settings.radius == pytest.approx(expected.radius, rel=1e-6)
    assert dataclasses.astuple(settings.speed) == pytest.approx(dataclasses.astuple(expected.speed), rel=1e-6)
    assert (settings.arrival_rule, settings.avoidance_rule) == (expected.arrival_rule, expected.avoidance_rule)
    rest = {"radius": expected.radius, "speed": expected.speed, "avoidance": expected.avoidance}
    assert vars(dataclasses.replace(settings, **rest)) == vars(expected)


def test_settings_reach_the_core(addon):
    crowd = bpy.context.scene.footfall.crowds.add()
    crowd.arrival, crowd.avoidance = "LOOP", "NONE"
    crowd.radius, crowd.radius_variation = 0.5, 0.2
    crowd.spawn.mode, crowd.spawn.rate, crowd.spawn.headway = "FLOW", 2.0, 0.5
    crowd.speed.mean, crowd.speed.sd = 2.0, 0.0
    settings = crowd.to_settings("A", "A", count=1, start="West", goal="East")
    assert settings.radius == pytest.approx((0.4, 0.6))
    assert (settings.arrival, settings.avoidance) == ("loop", "none")
    assert (settings.spawn.mode, settings.spawn.rate, settings.spawn.headway) == ("flow", 2.0, 0.5)
    assert (settings.speed.mean, settings.speed.sd) == (2.0, 0.0)
    assert (settings.route, settings.start, settings.goal) == (None, "West", "East")


def test_how_people_walk_reaches_the_core(addon):
    core = addon.module("core.scene")
    following = bpy.context.scene.footfall.crowds.add().following
    following.keep_to_line, following.comfort, following.spread, following.side = 0.75, 0.25, 0.5, "LEFT"
    following.weights.k_obstacle = 4.0
    weights = core.PlanWeights(k_obstacle=4.0)
    assert following.to_settings() == core.Following(0.75, 0.25, 0.5, "left", weights)


def test_the_least_and_the_largest_weights_are_taken_by_the_core(street, addon):
    weights = street.crowd.following.weights
    weights.k_jerk, weights.k_speed = 0.0, 1000.0
    reading = addon.module("blender_addon.reading").read_scene(street.scene)  # raises what it does not take
    read = reading.scene.crowds[0].following.weights
    assert (read.k_jerk, read.k_speed) == (0.01, 100.0)


def test_choices_are_words_of_the_scene_file(addon):
    core = addon.module("core.scene")
    crowd = bpy.context.scene.footfall.crowds.add()

    def choices(group, name):
        return {item.identifier.lower() for item in group.bl_rna.properties[name].enum_items}

    assert choices(crowd, "kind") == set(core.KINDS)
    assert choices(crowd.vehicle, "kind") == set(addon.module("core.scene.basics.vehicle_kinds").VEHICLE_KINDS)
    assert choices(crowd.vehicle, "priority") == set(core.PRIORITIES)
    assert choices(crowd.spawn, "mode") == set(core.SPAWN_MODES)
    assert choices(crowd.following, "side") == set(core.SIDES)
    assert choices(crowd, "arrival") == {*core.ARRIVALS, "auto"}
    assert choices(crowd, "avoidance") == set(core.AVOIDANCES[core.PEDESTRIAN])


def test_every_property_tells_what_it_does(addon):
    for prop in every_property(addon):
        if prop.type == "POINTER" and prop.fixed_type.identifier in GROUPS:
            continue
        if prop.type != "COLLECTION":
            assert prop.name, prop.identifier
            assert len(prop.description) > 15, prop.identifier
            assert not prop.description.endswith("."), prop.identifier  # Blender adds it
        for item in prop.enum_items if prop.type == "ENUM" else ():
            assert item.description, item.identifier


LENGTHS_AND_SPEEDS = {
    *(
        "path_width",
        "stride_length",
        "natural_height",
        "natural_half_width",
        "body_radius",
        "awaited_distance",
        "spreads",
        "within",
        "radius",
        "personal_space",
        "distance",
        "lane_width",
        "length",
        "width",
        "turning_radius",
    ),
    *(
        "head_height",
        "height",
        "stride",
        "mean",
        "sd",
        "speed",
        "speed_sd",
        "rate",
        "max_acceleration",
        "max_deceleration",
    ),
}
TIMES = {
    "headway",
    "sets_off_within",
    "time_headway",
    "time_gap",
    "delay",
    "trail_seconds",
    "stay",
    "stay_variation",
    "delay_variation",
}
WEIGHTS = {
    *("k_jerk", "k_speed", "k_offset", "k_lateral", "k_longitudinal", "k_obstacle"),
    *("separation", "alignment", "cohesion"),
    *("threshold", "pace"),
}
RECORDS = {"place", "severity", "frames"}


def test_every_number_has_its_unit(addon):
    """Lengths are metres in every scene, so they and speeds name their unit; times have that of Blender."""
    for prop in every_property(addon):
        if prop.type != "FLOAT" or prop.identifier in RECORDS:
            continue
        if prop.identifier in LENGTHS_AND_SPEEDS:
            assert prop.name.endswith(("(m)", "(m/s)", "(1/s)", "(m/s²)")), prop.identifier
            assert f"[{prop.name.rpartition('(')[2][:-1]}]" in prop.description, prop.identifier
        elif prop.identifier in TIMES:
            assert (prop.unit, "[s]" in prop.description) == ("TIME_ABSOLUTE", True), prop.identifier
        else:
            assert prop.subtype == "FACTOR" or prop.identifier in WEIGHTS, f"{prop.identifier} needs a unit"


def test_every_operator_tells_what_it_does_under_a_name_of_its_own(addon):
    labels = []
    for name in sorted(set(dir(bpy.ops.footfall)) - {"export_scene", "crowd_preset_add"}):
        kind = getattr(bpy.ops.footfall, name).get_rna_type()
        labels.append(kind.name)
        assert len(kind.description) > 15, name
        assert not kind.description.endswith("."), name
        own = (prop for prop in kind.properties if prop.identifier != "rna_type" and not prop.is_hidden)
        for prop in own:
            assert len(prop.description) > 15, f"{name}.{prop.identifier}"
            assert not prop.description.endswith("."), f"{name}.{prop.identifier}"
    assert len(set(labels)) == len(labels)


def test_settings_cannot_be_keyframed_by_mistake(addon):
    for prop in every_property(addon):
        if prop.type in {"INT", "FLOAT", "ENUM"}:
            assert not prop.is_animatable, prop.identifier


def test_names_of_crowds_stay_apart(addon):
    crowds = bpy.context.scene.footfall.crowds
    first, second, third = crowds.add(), crowds.add(), crowds.add()
    first.name = second.name = third.name = "Walkers"
    assert [crowd.name for crowd in crowds] == ["Walkers", "Walkers.001", "Walkers.002"]
    first.name = "  "
    assert first.name == "Crowd"
    third.name = "Walkers.001"
    assert third.name == "Walkers.002"


def test_each_crowd_gets_an_identity_of_its_own(addon):
    properties = addon.module("blender_addon.settings.scene_settings")
    crowds = bpy.context.scene.footfall.crowds
    first, second = crowds.add(), crowds.add()
    first.uid = second.uid = "same"
    crowds.add()
    properties.ensure_identities(bpy.context.scene)
    uids = [crowd.uid for crowd in crowds]
    assert uids[0] == "same"
    assert len({*uids, ""}) == 4
    properties.ensure_identities(bpy.context.scene)
    assert [crowd.uid for crowd in crowds] == uids


@pytest.mark.parametrize("index", [-1, 1, 5])
def test_an_index_beside_the_list_shows_no_crowd(addon, index):
    settings = bpy.context.scene.footfall
    settings.crowds.add()
    settings.active_crowd_index = index
    assert addon.module("blender_addon.settings.scene_settings").active_crowd(bpy.context.scene) is None


def test_settings_survive_saving_and_opening(street, tmp_path):
    street.crowd.spawn.mode, street.crowd.speed.mean, street.settings.seed = "SPREAD", 1.7, 42
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "street.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "street.blend"))
    settings = bpy.context.scene.footfall
    crowd = settings.crowds[0]
    assert (crowd.spawn.mode, crowd.speed.mean, settings.seed) == ("SPREAD", pytest.approx(1.7), 42)
    assert (crowd.route.name, settings.obstacles.name, len(crowd.uid)) == ("Path", "Obstacles", 32)


def test_removed_data_empties_the_pointers(street):
    bpy.data.objects.remove(street.path)
    bpy.data.collections.remove(street.obstacles)
    assert street.crowd.route is None
    assert street.settings.obstacles is None


def test_lists_of_objects_offer_what_fits(addon, street):
    module = addon.module("blender_addon.settings.crowd.crowd")
    assert module.is_mesh(None, street.kiosk)
    assert not module.is_mesh(None, street.path)
    street.kiosk["footfall_crowd"] = street.crowd.uid
    assert not module.is_mesh(None, street.kiosk)


def test_sizes_of_groups_reach_the_core_the_smaller_one_first(addon, street):
    groups = street.crowd.groups
    assert groups.to_settings() == addon.module("core.scene").Crowd("").groups
    groups.least, groups.most = 4, 2
    assert street.crowd.to_settings("Walkers", "Walkers", count=7, route="Path").groups == (2, 4)


def test_weights_of_flocking_reach_the_core_and_none_is_none(addon, street):
    core = addon.module("core.scene")
    flocking = street.crowd.flocking
    assert flocking.to_settings() is None
    flocking.cohesion, flocking.distance = 0.5, 4.0
    assert flocking.to_settings() == core.Flocking(0.0, 0.0, 0.5, 4.0)
    assert bpy.ops.footfall.bake() == {"FINISHED"}


def test_a_delay_is_of_bodies_on_wheels_alone(addon):
    crowd = bpy.context.scene.footfall.crowds.add()
    crowd.delay = 0.25
    assert crowd.to_settings("Robots", "Robots", count=2).delay == 0.0
    crowd.body = "WHEELS"
    assert crowd.to_settings("Robots", "Robots", count=2).delay == 0.25

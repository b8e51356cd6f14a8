// Walks every interleaving of small programs of calls and checks the rules of the queue in each state.
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/work_queue_state.hpp"

namespace heapwright::device {
namespace {

constexpr std::size_t kSubmissions = 5;

enum class Fate : std::uint8_t { kQueued, kRunning, kRan, kCancelled };

// One step that may come next, of one of the parties: two submitters, one that changes modes, the worker threads, the
// one that destroys.
struct Walk {
    WorkQueueState state{{.idle = 2, .committed = 3}};
    std::map<WorkItemId, Fate> items;
    std::vector<CommitId> open_commits;  // made
    std::map<CommitId, std::set<WorkItemId>> commit_items;
    bool disabled = false;
    bool changing = false;
    bool changing_commits = false;
    bool destroyed = false;
    std::size_t submits_left = kSubmissions;
    std::size_t change = 0;
    std::size_t refused = 0;
};

struct Change {
    BackgroundProcessingMode mode;
    MeasurementsAction action;
};

class Explorer {
public:
    explicit Explorer(std::vector<Change> changes) : changes_(std::move(changes)) {}

    // Two ways to one state go on alike, so each state is left once.
    void explore(const Walk& walk) {
        if (!seen_.insert(key(walk)).second) return;
        check(walk);
        bool ended = true;
        if (walk.submits_left > 0) {
            ended = false;
            explore(submit(walk));
        }
        if (walk.change < changes_.size() && !walk.destroyed) {
            ended = false;
            explore(walk.changing ? end_change(walk) : begin_change(walk));
        }
        if (std::optional<Walk> taken = take(walk)) {
            ended = false;
            explore(*taken);
        }
        for (const auto& [item, fate] : walk.items) {
            if (fate != Fate::kRunning) continue;
            ended = false;
            explore(finish(walk, item));
        }
        if (!walk.destroyed && !walk.changing) {
            ended = false;
            explore(destroy(walk));
        }
        if (ended) check_end(walk);
    }

    [[nodiscard]] std::size_t state_count() const { return seen_.size(); }

    std::size_t ends = 0;
    std::string broken;

private:
    static std::string key(const Walk& walk) {
        std::string key = {static_cast<char>(walk.submits_left), static_cast<char>(walk.change),
                           static_cast<char>(walk.changing), static_cast<char>(walk.destroyed),
                           static_cast<char>(walk.refused)};
        for (const auto& [item, fate] : walk.items) {
            key += static_cast<char>(item);
            key += static_cast<char>(fate);
        }
        for (const auto& [commit, items] : walk.commit_items) {
            key += static_cast<char>(commit + 64);
            for (const WorkItemId item : items) key += static_cast<char>(item);
        }
        return key;
    }

    void expect(bool holds, const char* rule) {
        if (!holds && broken.empty()) broken = rule;
    }

    Walk submit(Walk walk) {
        --walk.submits_left;
        const std::optional<WorkItemId> item = walk.state.submit();
        const bool must_accept =
            !walk.destroyed && (walk.changing ? walk.changing_commits || !walk.disabled : !walk.disabled);
        expect(item.has_value() == must_accept, "accepted exactly when background work is allowed or a commit asks");
        if (item) {
            walk.items[*item] = Fate::kQueued;
        } else {
            ++walk.refused;
        }
        return walk;
    }

    Walk begin_change(Walk walk) {
        const Change& change = changes_[walk.change];
        walk.state.begin_mode_change(change.mode, change.action);
        walk.changing = true;
        walk.changing_commits = commits(change.action);
        walk.disabled = disables_work(change.mode);
        return walk;
    }

    Walk end_change(Walk walk) {
        const std::optional<CommitId> commit = walk.state.end_mode_change();
        expect(commit.has_value() == walk.changing_commits, "a commit is made exactly when it was asked for");
        if (commit) {
            walk.open_commits.push_back(*commit);
            for (const auto& [item, fate] : walk.items) {
                if (fate == Fate::kQueued || fate == Fate::kRunning) walk.commit_items[*commit].insert(item);
            }
        }
        walk.changing = false;
        ++walk.change;
        return walk;
    }

    std::optional<Walk> take(Walk walk) {
        std::size_t running = 0;
        std::optional<WorkItemId> oldest;
        for (const auto& [item, fate] : walk.items) {
            if (fate == Fate::kRunning) ++running;
            if (fate == Fate::kQueued && !oldest) oldest = item;
        }
        const std::size_t limit = walk.state.boosted() ? 3 : 2;
        const std::optional<WorkItemId> taken = walk.state.take();
        expect(taken.has_value() == (oldest.has_value() && running < limit), "taken when there is work and room");
        if (!taken) return std::nullopt;
        expect(taken == oldest, "taken in the order of submission");
        walk.items[*taken] = Fate::kRunning;
        return walk;
    }

    Walk finish(Walk walk, WorkItemId item) {
        walk.state.finish(item);
        walk.items[item] = Fate::kRan;
        return walk;
    }

    Walk destroy(Walk walk) {
        walk.destroyed = true;
        for (const WorkItemId item : walk.state.shut_down()) {
            expect(walk.items[item] == Fate::kQueued, "only queued items are cancelled");
            walk.items[item] = Fate::kCancelled;
            walk.state.end_cancelled(item);
        }
        return walk;
    }

    void check(const Walk& walk) {
        bool boosted = false;
        for (const CommitId commit : walk.open_commits) {
            bool ended = true;
            const auto items = walk.commit_items.find(commit);
            if (items != walk.commit_items.end()) {
                for (const WorkItemId item : items->second)
                    ended &= walk.items.at(item) == Fate::kRan || walk.items.at(item) == Fate::kCancelled;
            }
            expect(walk.state.commit_ended(commit) == ended, "a commit ends with the last of its items");
            boosted |= !ended && high_priority(walk, commit);
        }
        expect(walk.state.boosted() == boosted, "boosted while a high-priority commit has items left");
    }

    bool high_priority(const Walk& walk, CommitId commit) const {
        std::size_t made = 0;
        for (std::size_t i = 0; i < walk.change; ++i) {
            if (!commits(changes_[i].action)) continue;
            if (++made == commit) return changes_[i].action == MeasurementsAction::kCommitResultsHighPriority;
        }
        return false;
    }

    void check_end(const Walk& walk) {
        ++ends;
        for (const auto& [item, fate] : walk.items)
            expect(fate == Fate::kRan || fate == Fate::kCancelled, "every item ran or was cancelled");
        expect(walk.items.size() + walk.refused == kSubmissions, "no item is lost");
        expect(walk.destroyed, "the walk ends with the queue's destruction");
    }

    std::vector<Change> changes_;
    std::set<std::string> seen_;
};

}  // namespace

TEST_CASE("Every interleaving of submissions, mode changes, workers and destruction keeps the queue's rules") {
    const BackgroundProcessingMode allowed = BackgroundProcessingMode::kAllowed;
    const BackgroundProcessingMode disabled = BackgroundProcessingMode::kDisableBackgroundWork;
    const std::vector<std::vector<Change>> programs = {
        {{disabled, MeasurementsAction::kKeepAll}, {allowed, MeasurementsAction::kKeepAll}},
        {{disabled, MeasurementsAction::kCommitResults},
         {BackgroundProcessingMode::kDisableProfilingBySystem, MeasurementsAction::kCommitResultsHighPriority}},
        {{allowed, MeasurementsAction::kCommitResultsHighPriority}, {disabled, MeasurementsAction::kDiscardPrevious}},
        {{BackgroundProcessingMode::kAllowIntrusiveMeasurements, MeasurementsAction::kCommitResults},
         {disabled, MeasurementsAction::kCommitResultsHighPriority}},
        {{disabled, MeasurementsAction::kCommitResultsHighPriority},
         {disabled, MeasurementsAction::kKeepAll},
         {allowed, MeasurementsAction::kCommitResults}},
    };
    for (const std::vector<Change>& program : programs) {
        Explorer explorer(program);
        explorer.explore(Walk{});
        INFO(explorer.broken);
        CHECK(explorer.broken.empty());
        CHECK(explorer.state_count() > 1000);
        CHECK(explorer.ends > 50);
    }
}

}  // namespace heapwright::device

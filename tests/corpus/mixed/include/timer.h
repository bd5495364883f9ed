#pragma once
#include <chrono>
#include <map>
#include <mutex>
#include <string>

class Timer {
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
  static inline std::map<std::string, double> totals_;
  static inline std::mutex guard_;
  std::string name_;

public:
  explicit Timer(std::string name) : name_(std::move(name)) {}
  ~Timer()
  {
    std::lock_guard<std::mutex> lock(guard_);
    totals_[name_] += std::chrono::duration<double>(clock::now() - start_).count();
  }
  static const std::map<std::string, double> &totals() { return totals_; }
};
